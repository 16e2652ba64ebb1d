//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_CLUSTER_CLIENT_ARENA_HPP
#define HOLDFAST_TEST_SIMULATION_CLUSTER_CLIENT_ARENA_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash_slot.hpp"
#include "simulation/arena.hpp"
#include "support/simulated_cluster.hpp"

namespace holdfast::test {

// A change reaches the other nodes so late that a test tells redirects from new maps.
inline constexpr cluster_options slow_gossip{
    .gossip = {std::chrono::milliseconds(400), std::chrono::milliseconds(400)},
    .bus = {std::chrono::milliseconds(1), std::chrono::milliseconds(1)}};

// A client of a cluster of three primaries, each a millisecond away. It learns the slots from node-0. The slots of {b},
// {c} and {a} belong to node-0, node-1 and node-2.
class cluster_client_arena : public arena {
public:
    explicit cluster_client_arena(cluster_options o = slow_gossip, unsigned acknowledged_by = 0)
        : arena(
            {.world = {.fifo = true},
             .network = {.delay = {std::chrono::milliseconds(1), std::chrono::milliseconds(1)}}}),
          cluster(simulated(), o),
          acknowledged_by_(acknowledged_by)
    {
        for (auto const& name : cluster.names())
            server(name).check([this](executed const& e) {
                if (e.what.args.size() > 1 && e.what.args[0] == "CLUSTER")
                    ++slots_requests;
            });
        make_cluster_client("A");
    }
    ~cluster_client_arena()
    {
        for (auto const& client : clients_)
            client->stop();
    }

    holdfast::client& c() { return *clients_.front(); }
    // Another client, in a process of that name.
    holdfast::client& make_cluster_client(std::string_view where, std::vector<std::string> seeds = {"node-0"})
    {
        auto& p = at(where);
        auto config = quick();
        config.acknowledged_by = acknowledged_by_;
        // The lines outlive this object, for which the connections of the simulation still log their end.
        config.log = [lines = logged_](log_level, std::string_view line) { lines->emplace_back(line); };
        auto const make_io = [this, &p, &seeds](engine::strand s, holdfast::config const& c, engine::log l) {
            auto io = simulated().make_cluster_io(p, std::move(s), c, std::move(l), seeds);
            io.open_node = [this, open = io.open_node](core::cluster_primary const& n) {
                auto made = open(n);
                sessions_.push_back(made);
                return made;
            };
            return io;
        };
        auto made = detail::client_access::make(p.get_executor(), config, make_io);
        clients_.push_back(std::make_unique<holdfast::client>(std::move(made)));
        clients_.back()->run(boost::asio::detached);
        return *clients_.back();
    }

    // Starts the sessions to all primaries.
    boost::asio::awaitable<void> visit_all() { return visit_all(c()); }
    static boost::asio::awaitable<void> visit_all(holdfast::client& c)
    {
        for (auto const* const name : {"{a}", "{b}", "{c}"})
            co_await (co_await mutex(c, name).acquire()).release();
    }

    // As a failover to a replica that has received nothing: another node has the slot, without its keys.
    void replace_primary_of(std::string_view key, unsigned by)
    {
        auto const slot = core::hash_slot(key);
        cluster.model().assign(slot, slot, cluster.names().at(by));
    }

    bool has(unsigned node, std::string_view key) { return exists(key, cluster.names().at(node)); }
    std::vector<std::string> const& logged() const { return *logged_; }
    // The sessions to primaries that clients have made, and those of them that exist.
    std::size_t made_sessions() const noexcept { return sessions_.size(); }
    std::size_t sessions() const
    {
        auto const exists = [](auto const& s) { return !s.expired(); };
        return static_cast<std::size_t>(std::ranges::count_if(sessions_, exists));
    }

    simulated_cluster cluster;
    int slots_requests = 0;

private:
    unsigned const acknowledged_by_;
    std::vector<std::weak_ptr<engine::session>> sessions_;
    std::shared_ptr<std::vector<std::string>> logged_ = std::make_shared<std::vector<std::string>>();
    std::vector<std::unique_ptr<holdfast::client>> clients_;
};

}  // namespace holdfast::test

#endif
