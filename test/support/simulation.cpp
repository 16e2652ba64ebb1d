//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/simulation.hpp"

#include <cstring>

#include "support/virtual_link.hpp"
#include "testing/session_registry.hpp"
#include "testing/simulated_session.hpp"

namespace holdfast::test {
namespace {

namespace asio = boost::asio;

// A Lua state is dear, and keeps nothing but compiled scripts: one for all simulations of a thread.
std::shared_ptr<simulated::lua_engine> kept_lua()
{
    thread_local auto const lua = std::make_shared<simulated::lua_engine>();
    return lua;
}

// The world as a session of one process sees it.
class virtual_view final : public simulated::world {
public:
    virtual_view(process& p, simulated_server& s, engine::strand st, unsigned& connections, bool guards)
        : process_(p), server_(s), strand_(std::move(st)), connections_(connections), guards_(guards)
    {}

    core::instant now() const noexcept override { return process_.local_time(process_.world().now()); }

    void at(core::instant when, std::function<void()> f) override
    {
        process_.world().at(
            process_.world_time(when), [alive = std::weak_ptr(alive_), strand = strand_, f = std::move(f)] {
                if (!alive.expired())
                    asio::post(strand, [alive, f] {
                        if (!alive.expired())
                            f();
                    });
            });
    }

    void stop() noexcept override { alive_ = std::make_shared<int>(); }

    std::shared_ptr<simulated::link> dial(std::weak_ptr<simulated::link_events> to) override
    {
        auto fresh = std::make_shared<virtual_link>(process_, server_, strand_, std::move(to), ++connections_);
        fresh->connect();
        return fresh;
    }

    std::uint64_t random() noexcept override { return process_.chance().next(); }

    std::array<std::uint8_t, 16> identity() override
    {
        std::uint64_t const bits[] = {random(), random()};
        std::array<std::uint8_t, 16> id;
        std::memcpy(id.data(), bits, sizeof bits);
        return id;
    }

    std::uint64_t incarnation() const noexcept override { return process_.incarnation(); }
    bool guards_subscriptions() const noexcept override { return guards_; }

private:
    process& process_;
    simulated_server& server_;
    engine::strand strand_;
    unsigned& connections_;
    bool const guards_;
    std::shared_ptr<int> alive_ = std::make_shared<int>();
};

// Whose executor it is, also behind strands.
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
        return make_session(p ? *p : world_->main(), std::move(s), c, std::move(l), name);
    });
    processes_.emplace("main", &world_->main());
}

// A server keeps the links that it knows, and they the world.
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

holdfast::config simulation::config(std::string_view name) const
{
    holdfast::config c;
    c.url = "memory://" + std::string(name);
    return c;
}

std::shared_ptr<engine::session> simulation::make_session(process& p, std::string_view name)
{
    return make_session(p, engine::strand(p.get_executor()), config(name), {}, name);
}

std::shared_ptr<engine::session> simulation::make_session(
    process& p, engine::strand s, holdfast::config const& c, engine::log l, std::string_view name)
{
    auto view = std::make_unique<virtual_view>(p, server(name), s, connections_[&p], options_.guard_subscriptions);
    return std::make_shared<simulated::session>(std::move(s), c, std::move(l), std::move(view));
}

}  // namespace holdfast::test
