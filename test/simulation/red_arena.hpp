//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_RED_ARENA_HPP
#define HOLDFAST_TEST_SIMULATION_RED_ARENA_HPP

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulation/arena.hpp"
#include "support/redirect.hpp"

namespace holdfast::test {

inline std::string server_of(unsigned node)
{
    return "n" + std::to_string(node);
}

inline constexpr red_options trusting{.trust_new_nodes = true};
inline constexpr red_options fenced{.fencing = true, .trust_new_nodes = true};

// Several servers; clients() makes a client of each of them in a process.
struct nodes : arena {
    explicit nodes(unsigned n, simulation_options o = {.world = {.fifo = true}}) : arena(std::move(o)), count(n) {}

    std::vector<holdfast::client const*> clients(std::string_view where = "A", holdfast::config const& c = quick())
    {
        std::vector<holdfast::client const*> all;
        for (unsigned i = 0; i < count; ++i)
            all.push_back(&client(where, c, server_of(i)));
        return all;
    }

    simulated_server& node(unsigned i) { return server(server_of(i)); }

    // The number of servers on which that key exists.
    unsigned keys(std::string_view name)
    {
        unsigned found = 0;
        for (unsigned i = 0; i < count; ++i)
            found += exists(name, server_of(i));
        return found;
    }

    unsigned const count;
};

inline asio::awaitable<void> ready(std::vector<client const*> const& all)
{
    for (auto const* c : all)
        co_await const_cast<client*>(c)->ready();
}

// Calls strike() when the server has granted the lock "r" for the first time.
inline void after_grant(simulated_server& s, std::function<void()> strike)
{
    s.check([strike = std::move(strike), done = false](executed const& e) mutable {
        bool const grants = e.what.in_script && e.what.args[0] == "set" && e.what.args.size() > 5
                            && e.what.args[1] == "r";
        if (grants && !std::exchange(done, true))
            strike();
    });
}

}  // namespace holdfast::test

#endif
