//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/simulation.hpp"

#include <cstring>

#include "session/session.hpp"
#include "session/world.hpp"
#include "sim/session_registry.hpp"
#include "support/virtual_link.hpp"

namespace holdfast::test {
namespace {

namespace asio = boost::asio;

// A Lua state is expensive and keeps nothing but compiled scripts: one serves all simulations of a thread.
std::shared_ptr<simulated::lua_engine> kept_lua()
{
    thread_local auto const lua = std::make_shared<simulated::lua_engine>();
    return lua;
}

// Links of one process to the servers behind some addresses, in turn. The nodes of the last map follow those that it was
// given, as they do in production.
class virtual_connector final : public session::connector {
public:
    virtual_connector(
        simulation& s, process& p, std::vector<std::string> addresses, engine::strand st, unsigned& connections)
        : simulation_(s),
          process_(p),
          given_(std::move(addresses)),
          addresses_(given_),
          strand_(std::move(st)),
          connections_(connections)
    {}

    std::shared_ptr<session::connection> connect(std::weak_ptr<session::connection_events> to) override
    {
        auto& server = simulation_.server_at(addresses_[next_++ % addresses_.size()]);
        auto fresh = std::make_shared<virtual_link>(process_, server, strand_, std::move(to), ++connections_);
        fresh->connect();
        return fresh;
    }
    std::string server_name() const override { return "a simulated server"; }
    void on_slots(core::cluster_map& slots) override
    {
        addresses_ = given_;
        for (auto const* const some : {&slots.primaries, &slots.replicas})
            for (auto const& n : *some)
                addresses_.push_back(n.host);
    }
    void on_master(session::master_address const& m) override { addresses_ = {m.host}; }

private:
    simulation& simulation_;
    process& process_;
    std::vector<std::string> const given_;
    std::vector<std::string> addresses_;
    std::size_t next_ = 0;
    engine::strand strand_;
    unsigned& connections_;
};

// The virtual world as the environment of a client of one process.
class virtual_view final : public session::environment {
public:
    virtual_view(process& p, engine::strand st, std::weak_ptr<session::clock_events> clock)
        : process_(p), strand_(std::move(st)), clock_(std::move(clock))
    {}

    core::instant now() const noexcept override { return process_.local_time(process_.world().now()); }

    void wake_at(core::instant when) override
    {
        if (when >= due_)
            return;
        due_ = when;
        process_.world().at(process_.world_time(when), [alive = std::weak_ptr(alive_), this, when] {
            if (alive.expired())
                return;
            asio::post(strand_, [alive, this, when] {
                if (!alive.expired())
                    ring(when);
            });
        });
    }
    void stop() noexcept override { alive_.reset(); }

    std::uint64_t random() noexcept override { return process_.chance().next(); }

    std::array<std::uint8_t, 16> identity() override
    {
        std::uint64_t const bits[] = {random(), random()};
        std::array<std::uint8_t, 16> id;
        std::memcpy(id.data(), bits, sizeof bits);
        return id;
    }

    std::uint64_t incarnation() const noexcept override { return process_.incarnation(); }

private:
    // An alarm that an earlier one has replaced does nothing.
    void ring(core::instant of)
    {
        if (of != due_)
            return;
        due_ = core::never;
        if (auto const to = clock_.lock())
            to->on_time();
    }

    process& process_;
    engine::strand strand_;
    std::weak_ptr<session::clock_events> clock_;
    core::instant due_ = core::never;
    std::shared_ptr<int> alive_ = std::make_shared<int>();
};

// Returns the process of an executor, also through strands.
process* owner_of(asio::any_io_executor const& e)
{
    if (auto const* const v = e.target<virtual_executor>())
        return &v->home();
    if (auto const* const s = e.target<asio::strand<virtual_executor>>())
        return &s->get_inner_executor().home();
    if (auto const* const s = e.target<asio::strand<asio::any_io_executor>>())
        return owner_of(s->get_inner_executor());
    return nullptr;
}

}  // namespace

simulation::simulation(simulation_options o)
    : options_(o), lua_(kept_lua()), world_(std::make_unique<virtual_world>(o.world))
{
    auto& registry = asio::use_service<simulated::session_registry>(*world_);
    registry.replace([this](engine::strand s, holdfast::config const& c, engine::log l, std::string_view name) {
        auto* const p = owner_of(s.get_inner_executor());
        return make_io(p ? *p : world_->main(), std::move(s), c, std::move(l), name);
    });
    processes_.emplace("main", &world_->main());
}

// Servers keep their links alive, and links refer to the world.
simulation::~simulation()
{
    for (auto const& [name, s] : servers_)
        s->forget_links();
}

process& simulation::at(std::string_view name)
{
    auto const found = processes_.find(name);
    if (found != processes_.end())
        return *found->second;
    auto& fresh = world_->start_process(std::string(name));
    return *processes_.emplace(std::string(name), &fresh).first->second;
}

simulated_server& simulation::server(std::string_view name)
{
    auto at = servers_.find(name);
    if (at == servers_.end()) {
        at = servers_.emplace(std::string(name), std::make_unique<simulated_server>(*world_, std::string(name), lua_))
                 .first;
        at->second->faults = options_.faults;
        at->second->network = options_.network;
    }
    return *at->second;
}

void simulation::lead(std::string_view address, std::string_view to)
{
    addresses_.insert_or_assign(std::string(address), std::string(to));
}

simulated_server& simulation::server_at(std::string_view address)
{
    auto const led = addresses_.find(address);
    return server(led == addresses_.end() ? address : std::string_view(led->second));
}

holdfast::config simulation::config(std::string_view name) const
{
    holdfast::config c;
    c.url = "memory://" + std::string(name);
    return c;
}

engine::client_io simulation::make_io(process& p, std::string_view name)
{
    return make_io(p, engine::strand(p.get_executor()), config(name), {}, name);
}

engine::client_io simulation::make_io(
    process& p, engine::strand s, holdfast::config const& c, engine::log l, std::string_view name)
{
    auto const world = make_time(p, s);
    std::vector<std::string> const only{std::string(name)};
    auto const open = [this, &p, s, c, l, world, only](core::duration more_time) {
        auto to = std::make_unique<virtual_connector>(*this, p, only, s, connections_[&p]);
        session::session::settings how{{.client_name = c.name}, c.command_timeout + more_time, c.credentials};
        if (options_.checks_health)
            how.health = session::health_limits_of(c.lease, how.command_timeout);
        return std::make_shared<session::session>(s, std::move(how), l, world, std::move(to));
    };
    auto const open_second = [open](core::cluster_primary const&) { return open(engine::longest_question); };
    return {world, open({}), {}, open_second};
}

engine::client_io simulation::make_cluster_io(
    process& p, engine::strand s, holdfast::config const& c, engine::log l, std::vector<std::string> const& seeds)
{
    auto const world = make_time(p, s);
    auto const open = [this, &p, s, c, l, world](session::purpose why, std::vector<std::string> const& names) {
        auto to = std::make_unique<virtual_connector>(*this, p, names, s, connections_[&p]);
        session::session::settings how{
            {.client_name = c.name}, c.command_timeout, c.credentials, why, {}, c.sharded_messages};
        if (options_.checks_health)
            how.health = session::health_limits_of(c.lease, how.command_timeout);
        return std::make_shared<session::session>(s, std::move(how), l, world, std::move(to));
    };
    auto const open_node = [open](core::cluster_primary const& n) { return open(session::purpose::member, {n.host}); };
    return {world, open(session::purpose::seed, seeds), open_node, open_node};
}

engine::client_io simulation::make_sentinel_io(
    process& p, engine::strand s, holdfast::config const& c, engine::log l, std::vector<std::string> const& sentinels)
{
    auto const world = make_time(p, s);
    auto const open = [this, &p, s, c, l, world, sentinels](core::duration more_time) {
        auto const connector_to = [&](std::vector<std::string> names) {
            return std::make_unique<virtual_connector>(*this, p, std::move(names), s, connections_[&p]);
        };
        session::sentinel_group group{"mymaster", {.client_name = c.name}, {}, c.sentinel_credentials};
        for (auto const& name : sentinels)
            group.places.push_back({name, connector_to({name})});
        session::session::settings how{
            {.client_name = c.name}, c.command_timeout + more_time, c.credentials, session::purpose::master};
        how.silence_limit += more_time;
        if (options_.checks_health)
            how.health = session::health_limits_of(c.lease, how.command_timeout);
        return std::make_shared<session::session>(s, std::move(how), l, world, connector_to({}), std::move(group));
    };
    auto const open_second = [open](core::cluster_primary const&) { return open(engine::longest_question); };
    return {world, open({}), {}, open_second};
}

std::shared_ptr<session::world> simulation::make_time(process& p, engine::strand const& s)
{
    auto world = std::make_shared<session::world>();
    world->live_in(std::make_unique<virtual_view>(p, s, world->clock()));
    return world;
}

}  // namespace holdfast::test
