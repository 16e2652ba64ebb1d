//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/session_registry.hpp"

#include "sim/memory_server.hpp"

namespace holdfast::simulated {

boost::asio::execution_context::id session_registry::id;

std::shared_ptr<memory_server> session_registry::find_or_make(std::string_view name)
{
    // No other client can refer to it, so it is not kept here and ends with its client.
    if (name.empty())
        return std::make_shared<memory_server>();
    std::lock_guard const guard(mutex_);
    auto& s = servers_[std::string(name)];
    if (!s)
        s = std::make_shared<memory_server>();
    return s;
}

// The name must not be one of a user's URL.
std::string session_registry::add(std::shared_ptr<memory_server> s)
{
    std::lock_guard const guard(mutex_);
    auto name = "~server-" + std::to_string(++last_);
    servers_.emplace(name, std::move(s));
    return name;
}

// Connections share ownership of their server, so it lasts as long as its clients use it.
void session_registry::remove(std::string_view name)
{
    std::lock_guard const guard(mutex_);
    servers_.erase(std::string(name));
}

void session_registry::replace(factory f)
{
    std::lock_guard const guard(mutex_);
    factory_ = std::move(f);
}

// A copy, so that the caller calls it while the mutex is not locked.
session_registry::factory session_registry::replacement() const
{
    std::lock_guard const guard(mutex_);
    return factory_;
}

// The context calls this for all services before it destroys the first one: what a user's factory owns may need others.
void session_registry::shutdown() noexcept
{
    std::lock_guard const guard(mutex_);
    servers_.clear();
    factory_ = nullptr;
}

}  // namespace holdfast::simulated
