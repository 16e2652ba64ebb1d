//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TASK_HPP
#define HOLDFAST_TASK_HPP

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <holdfast/detail/initiate.hpp>

#include "engine/port/strand.hpp"

namespace holdfast::detail {

// A coroutine of coordinate(). It has the type of its strand, which ends the process without memory: an any_io_executor
// would throw where Asio queues the coroutine, also in the destructor of a coroutine that was not continued.
template <class Result>
using task = asio::awaitable<Result, engine::strand>;

inline constexpr asio::use_awaitable_t<engine::strand> use_task;

template <>
inline constexpr bool takes_posts<engine::strand> = true;

}  // namespace holdfast::detail

#endif
