//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_SIMULATION_HPP
#define HOLDFAST_TEST_SUPPORT_SIMULATION_HPP

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/config.hpp>

#include "engine/port/client_io.hpp"
#include "engine/port/log.hpp"
#include "engine/port/strand.hpp"
#include "support/process.hpp"
#include "support/simulated_server.hpp"
#include "support/virtual_world.hpp"

namespace holdfast::session {
class world;
}

namespace holdfast::test {

struct simulation_options {
    world_options world = {};
    fault_plan faults = {};  // of each new server
    network_options network = {};
    // Sessions send PING when they are idle, so that run() never ends.
    bool checks_health = false;
};

// A virtual world with processes, networks and servers. In its context memory://NAME is the simulated server NAME, so
// that the library runs in it unchanged: give a client an executor of a process and the config of a server.
class simulation {
public:
    explicit simulation(simulation_options = {});
    explicit simulation(std::uint64_t seed) : simulation(simulation_options{.world = {.seed = seed}}) {}
    ~simulation();

    virtual_world& world() noexcept { return *world_; }
    core::instant now() const noexcept { return world_->now(); }

    // Made at first use.
    process& at(std::string_view name);
    simulated_server& server(std::string_view name = "redis");
    // Those that were made.
    template <class Action>
    void for_each_server(Action act)
    {
        for (auto const& [name, s] : servers_)
            act(*s);
    }

    // From now on, who connects to `address` reaches that server: a failover behind one address.
    void lead(std::string_view address, std::string_view server);
    simulated_server& server_at(std::string_view address);

    holdfast::config config(std::string_view server = "redis") const;

    // For tests below the client.
    engine::client_io make_io(process&, std::string_view server = "redis");
    engine::client_io make_io(process&, engine::strand, holdfast::config const&, engine::log, std::string_view server);
    // For a client of a cluster, which finds the other nodes by their names.
    engine::client_io make_cluster_io(
        process&, engine::strand, holdfast::config const&, engine::log, std::vector<std::string> const& seeds);
    // For a client behind sentinels, which name the servers by their names.
    engine::client_io make_sentinel_io(
        process&, engine::strand, holdfast::config const&, engine::log, std::vector<std::string> const& sentinels);

private:
    std::shared_ptr<session::world> make_time(process&, engine::strand const&);

    simulation_options const options_;
    std::shared_ptr<simulated::lua_engine> lua_;
    std::map<std::string, std::unique_ptr<simulated_server>, std::less<>> servers_;
    std::map<std::string, std::string, std::less<>> addresses_;  // of those that lead to a server of another name
    std::unique_ptr<virtual_world> world_;
    std::map<std::string, process*, std::less<>> processes_;
    std::map<process*, unsigned> connections_;
};

}  // namespace holdfast::test

#endif
