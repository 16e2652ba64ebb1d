//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/session_factory.hpp"

#include <stdexcept>

#include "redis/session.hpp"
#include "session/memory_transport.hpp"

namespace holdfast::detail {

engine::client_io make_io(engine::strand s, config const& c, engine::log l)
{
    if (!c.url.starts_with("memory://"))
        return redis::make_io(std::move(s), c, std::move(l));
    if (auto const make = session::memory_transport.load())
        return make(std::move(s), c, std::move(l));
    throw std::invalid_argument(
        "url: " + c.url + " needs a program that is linked with the CMake target holdfast::testing");
}

}  // namespace holdfast::detail
