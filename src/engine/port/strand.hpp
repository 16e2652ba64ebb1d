//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_STRAND_HPP
#define HOLDFAST_ENGINE_STRAND_HPP

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/strand.hpp>

namespace holdfast::engine {

// Where all state of a client lives. Never kept by anything that may outlive the execution context.
using strand = boost::asio::strand<boost::asio::any_io_executor>;

}  // namespace holdfast::engine

#endif
