//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/memory_session.hpp"

#include <stdexcept>

#include "session/memory_transport.hpp"
#include "session/session.hpp"
#include "session/world.hpp"
#include "sim/memory_connector.hpp"
#include "sim/real_world.hpp"
#include "sim/session_registry.hpp"

namespace holdfast::simulated {
namespace {

constexpr std::string_view scheme = "memory://";

// Characters with a meaning in other URLs are refused: memory://host:6379/1 would otherwise be a server of that strange
// name.
std::string_view name_of(std::string_view url)
{
    if (!url.starts_with(scheme))
        throw std::invalid_argument("url: the scheme is not memory://");
    url.remove_prefix(scheme.size());
    if (url.find_first_of("/?#@:") != url.npos)
        throw std::invalid_argument("url: only a name may follow memory://");
    return url;
}

[[maybe_unused]] bool const serves_memory_urls = (holdfast_serve_memory_urls(), true);

}  // namespace

void holdfast_serve_memory_urls() noexcept
{
    session::memory_transport = &make_memory_io;
}

engine::client_io make_memory_io(engine::strand s, config const& c, engine::log l)
{
    auto const name = name_of(c.url);
    // The registry is a service of the context: the servers end with it, and two contexts share no server.
    auto& context = boost::asio::query(s, boost::asio::execution::context);
    auto& registry = boost::asio::use_service<session_registry>(context);
    // The simulator of the tests makes worlds and sessions of its own, with virtual time, for the same URLs.
    if (auto const make = registry.replacement())
        return make(std::move(s), c, std::move(l), name);
    auto const world = std::make_shared<session::world>();
    // After the world exists: the environment refers to it weakly, through clock().
    auto const server = registry.find_or_make(name);
    world->live_in(std::make_unique<real_world>(s, world->clock(), server->clock()));
    auto const open = [=, name = std::string(name)](auto const&) {
        session::session::settings how{{}, c.command_timeout};
        how.login.client_name = c.name;
        how.provider = c.credentials;
        return std::make_shared<session::session>(
            s, std::move(how), l, world, std::make_unique<memory_connector>(s, name, server));
    };
    return {world, open(core::cluster_primary()), {}, open};
}

}  // namespace holdfast::simulated
