//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/session.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "redis/connection_config.hpp"
#include "redis/connector.hpp"
#include "redis/environment.hpp"
#include "redis/tls.hpp"
#include "session/session.hpp"
#include "session/world.hpp"

namespace holdfast::redis {
namespace {

// CLIENT SETNAME, and so HELLO, refuses a name with other characters.
std::string checked_name(std::string const& name)
{
    if (name.empty())
        return default_client_name();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; }))
        throw std::invalid_argument("name: must have only printable ASCII characters and no spaces");
    return name;
}

boost::asio::ssl::context context_for(endpoint const& e, tls_options const& options)
{
    if (e.transport == transport::tls)
        return make_tls_context(options, e.hosts.front().host);
    refuse_tls_options(options);
    // Boost.Redis requires a context even for connections without TLS.
    return boost::asio::ssl::context(boost::asio::ssl::context::tls_client);
}

// The router of a client over several servers is missing: without it, each lock of another node would fail by itself.
void refuse_cluster(endpoint const& e)
{
    if (e.is_cluster)
        throw std::invalid_argument(
            "url: clients of a Redis Cluster of several nodes are not implemented yet; redis:// can use a cluster of "
            "one node");
}

void check_credentials(endpoint const& e, config const& options)
{
    if (options.credentials && (e.has_password || !e.user.empty()))
        throw std::invalid_argument("credentials: the URL has a user or a password, too; give one of the two");
}

void warn_of(endpoint const& e, config const& options, engine::log const& log)
{
    if (options.tls.insecure_skip_verify)
        log.warning("tls.insecure_skip_verify: the client does not verify the server's certificate, so an attacker on "
                    "the network can read and change all data");
    if (e.transport != transport::tls && (e.has_password || options.credentials) && is_remote(e))
        log.warning("url: the password is sent without encryption; use rediss:// to encrypt it");
}

}  // namespace

engine::client_io make_io(engine::strand on, config const& options, engine::log log)
{
    auto e = parse_url(options.url);
    refuse_cluster(e);
    auto name = checked_name(options.name);
    check_credentials(e, options);
    auto tls = context_for(e, options.tls);
    warn_of(e, options, log);
    auto const world = std::make_shared<session::world>();
    // After the world exists: the environment refers to it weakly, through clock().
    world->live_in(std::make_unique<environment>(on, world->clock()));
    auto to = std::make_unique<connector>(on, e, std::move(tls), options, log);
    session::session::settings s{login_of(e, name), options.command_timeout, options.credentials};
    return {world, std::make_shared<session::session>(on, std::move(s), log, world, std::move(to))};
}

}  // namespace holdfast::redis
