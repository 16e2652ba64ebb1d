//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/session.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <stdexcept>
#include <utility>

#include "redis/cluster_connector.hpp"
#include "redis/connection_config.hpp"
#include "redis/connector.hpp"
#include "redis/environment.hpp"
#include "redis/node_address.hpp"
#include "redis/sentinel_connector.hpp"
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

// A name with other characters could never be verified.
void check_server_name(std::string const& name)
{
    auto const is_allowed = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_' || c == ':';
    };
    if (!std::ranges::all_of(name, is_allowed))
        throw std::invalid_argument("tls.server_name: must be a host name or an address");
}

// For what the certificate of the server must be issued.
std::string const& certified_name(host_and_port const& to, tls_options const& options)
{
    if (!options.server_name.empty())
        return options.server_name;
    return to.name.empty() ? to.host : to.name;
}

// For one of these the certificate of a sentinel or of a master must be issued. Where the master is, the sentinels tell
// only when the context exists.
std::vector<std::string> certified_names(endpoint const& sentinels, tls_options const& options)
{
    if (!options.server_name.empty())
        return {options.server_name};
    std::vector<std::string> names;
    for (auto const& h : sentinels.hosts)
        names.push_back(h.host);
    return names;
}

boost::asio::ssl::context context_for(endpoint const& e, tls_options const& options)
{
    if (has_sentinels(e) && has_tls(e))
        return make_tls_context(options, certified_names(e, options));
    if (has_tls(e))
        return make_tls_context(options, {certified_name(e.hosts.front(), options)});
    refuse_tls_options(options);
    // Boost.Redis requires a context even for connections without TLS.
    return boost::asio::ssl::context(boost::asio::ssl::context::tls_client);
}

void check_credentials(endpoint const& e, config const& options)
{
    if (options.credentials && (e.has_password || !e.user.empty()))
        throw std::invalid_argument("credentials: the URL has a user or a password, too; give one of the two");
    if (options.sentinel_credentials && e.has_sentinel_password)
        throw std::invalid_argument(
            "sentinel_credentials: the URL has a password of the sentinels, too; give one of the two");
}

bool has_any_password(endpoint const& e, config const& options)
{
    return e.has_password || e.has_sentinel_password || options.credentials
           || (has_sentinels(e) && options.sentinel_credentials);
}

void warn_of(endpoint const& e, config const& options, engine::log const& log)
{
    if (options.tls.insecure_skip_verify)
        log.warning("tls.insecure_skip_verify: the client does not verify the server's certificate, so an attacker on "
                    "the network can read and change all data");
    if (!has_tls(e) && has_any_password(e, options) && is_remote(e))
        log.warning("url: the password is sent without encryption; use rediss:// to encrypt it");
}

std::shared_ptr<addresses_of_host> addresses_with(name_lookup look_up)
{
    return std::make_shared<addresses_of_host>(addresses_of_host{.look_up = std::move(look_up)});
}

// What all sessions of one client have in common.
struct client_parts {
    engine::strand on;
    endpoint to;
    config options;
    std::string name;
    engine::log log;
    std::shared_ptr<session::world> world;
    std::shared_ptr<boost::asio::ssl::context> tls;  // for the first host of `to`
    name_lookup look_up;
    std::shared_ptr<addresses_of_host> addresses;  // of the only server

    std::shared_ptr<session::session> open(
        session::purpose why,
        std::unique_ptr<session::connector> c,
        std::string const& node_id = {},
        core::duration more_time = {},
        std::optional<session::sentinel_group> sentinels = {}) const
    {
        auto const timeout = options.command_timeout + more_time;
        session::session::settings s{
            login_of(to, name),
            timeout,
            options.credentials,
            why,
            node_id,
            options.sharded_messages,
            session::health_limits_of(options.lease, timeout),
            more_time == core::duration::zero(),
            session::session::usual_silence + more_time};
        return std::make_shared<session::session>(on, std::move(s), log, world, std::move(c), std::move(sentinels));
    }
    // To the only server, at one of these addresses, or to the master that sentinels name.
    std::shared_ptr<session::session> open_server(
        std::shared_ptr<addresses_of_host> at, core::duration more_time = {}) const
    {
        if (!has_sentinels(to))
            return open(session::purpose::one_server, connector_to_server(to, std::move(at)), {}, more_time);
        auto const to_master = [p = *this](endpoint const& e, origin) { return p.connector_to_server(e); };
        auto master = std::make_unique<sentinel_connector>(to, to_master);
        return open(session::purpose::master, std::move(master), {}, more_time, sentinels());
    }
    session::sentinel_group sentinels() const
    {
        session::sentinel_group g{to.master_name, sentinel_login_of(to, name), {}, options.sentinel_credentials};
        for (auto const& h : to.hosts)
            g.places.push_back({to_text(h), connector_to_server(server_of(to, h))});
        return g;
    }
    // To one node of a cluster.
    std::unique_ptr<connector> connector_to(endpoint e, origin from) const
    {
        auto own = has_tls(e) ? make_tls_context(*tls, certified_name(e.hosts.front(), options.tls)) : share(*tls);
        if (from == origin::announced)
            e.hosts.front() = reachable_address(e.hosts.front(), options, log);
        return std::make_unique<connector>(on, e, std::move(own), log, addresses_with(redis::look_up));
    }
    // To a server whose certificate is for a host of the URL.
    std::unique_ptr<connector> connector_to_server(endpoint const& e) const
    {
        return connector_to_server(e, addresses_with(look_up));
    }
    std::unique_ptr<connector> connector_to_server(endpoint const& e, std::shared_ptr<addresses_of_host> at) const
    {
        return std::make_unique<connector>(on, e, share(*tls), log, std::move(at));
    }
    std::shared_ptr<session::session> open_node(core::cluster_primary const& node) const
    {
        return open(session::purpose::member, connector_to_node(node), node.id);
    }
    std::unique_ptr<cluster_connector> connector_to_node(core::cluster_primary const& node) const
    {
        auto e = to;
        e.hosts = {{node.host, node.port, node.name}};
        return std::make_unique<cluster_connector>(std::move(e), origin::announced, maker());
    }
    connector_maker maker() const
    {
        return [p = *this](endpoint const& e, origin from) { return p.connector_to(e, from); };
    }
    // For acknowledgements: each of them takes the server the time of a WAIT longer than other commands. They count only
    // at the server that grants the locks, so the second session follows the first one to its address.
    std::shared_ptr<session::session> open_second(core::cluster_primary const& node) const
    {
        if (!to.is_cluster) {
            auto const same = addresses_with(look_up);
            same->leader = addresses;
            return open_server(same, engine::longest_question);
        }
        return open(session::purpose::member, connector_to_node(node), node.id, engine::longest_question);
    }
};

engine::client_io make_cluster_io(client_parts const& p)
{
    auto seeds = std::make_unique<cluster_connector>(p.to, origin::url, p.maker());
    auto const open_node = [p](core::cluster_primary const& n) { return p.open_node(n); };
    auto const open_second = [p](core::cluster_primary const& n) { return p.open_second(n); };
    return {p.world, p.open(session::purpose::seed, std::move(seeds)), open_node, open_second};
}

}  // namespace

engine::client_io make_io(engine::strand on, config const& options, engine::log log, name_lookup look_up)
{
    auto e = parse_url(options.url);
    auto name = checked_name(options.name);
    check_credentials(e, options);
    // Before the warnings: throws if an option of TLS is wrong.
    check_server_name(options.tls.server_name);
    auto const tls = std::make_shared<boost::asio::ssl::context>(context_for(e, options.tls));
    warn_of(e, options, log);
    auto const world = std::make_shared<session::world>();
    // After the world exists: the environment refers to it weakly, through clock().
    world->live_in(std::make_unique<environment>(on, world->clock()));
    auto const addresses = addresses_with(look_up);
    client_parts const p{
        on, std::move(e), options, std::move(name), std::move(log), world, tls, std::move(look_up), addresses};
    if (p.to.is_cluster)
        return make_cluster_io(p);
    auto const open_second = [p](core::cluster_primary const& n) { return p.open_second(n); };
    return {world, p.open_server(addresses), {}, open_second};
}

}  // namespace holdfast::redis
