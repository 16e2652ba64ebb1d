//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <stdexcept>

#include <holdfast/testing/server.hpp>

#include "sim/memory_session.hpp"

// Replaces the in-process server in a library that is built without it, and so without Lua. The functions are defined,
// because session_factory.cpp and the public header refer to them: a user who asks for the server gets an exception,
// not an error of the linker.

namespace holdfast::simulated {

std::shared_ptr<engine::session> make_memory_session(engine::strand, config const&, engine::log)
{
    throw std::invalid_argument("url: memory:// is not built in (HOLDFAST_MEMORY)");
}

}  // namespace holdfast::simulated

namespace holdfast::testing {

struct server::impl {};

server::server(boost::asio::any_io_executor)
{
    throw std::runtime_error("holdfast::testing::server is not built in (HOLDFAST_MEMORY)");
}

// Never called: the constructor throws.
server::~server() = default;
holdfast::config server::config() const
{
    return {};
}
void server::expire(std::string_view) {}
void server::hold(std::string_view) {}
void server::release(std::string_view) {}
void server::drop(std::string_view) {}
void server::pause() {}
void server::resume() {}
void server::disconnect() {}
bool server::is_locked(std::string_view) const
{
    return false;
}

}  // namespace holdfast::testing
