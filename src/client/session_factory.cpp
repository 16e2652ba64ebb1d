//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/session_factory.hpp"

#include "redis/session.hpp"
#include "sim/memory_session.hpp"

namespace holdfast::detail {

std::shared_ptr<engine::session> make_session(engine::strand s, config const& c, engine::log l)
{
    return c.url.starts_with("memory://") ? simulated::make_memory_session(std::move(s), c, std::move(l))
                                          : redis::make_session(std::move(s), c, std::move(l));
}

}  // namespace holdfast::detail
