//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_ARENA_HPP
#define HOLDFAST_TEST_SIMULATION_ARENA_HPP

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch_test_macros.hpp>

#include <holdfast.hpp>

#include "client/client_access.hpp"
#include "operations/operation.hpp"
#include "support/simulation.hpp"
#include "support/tenure_of.hpp"

namespace holdfast::test {

// One simulated server, and clients in simulated processes, for tests whose body is a coroutine.
class arena {
public:
    explicit arena(simulation_options o = {.world = {.fifo = true}}) : simulation_(std::move(o))
    {
        server().check([this](executed const& e) {
            if (!e.what.in_script)
                commands_.emplace_back(e.what.args.empty() ? "" : e.what.args[0]);
        });
    }

    // After a failure, coroutines that still wait must not continue: they may refer to destroyed objects.
    ~arena()
    {
        if (std::uncaught_exceptions() > failures_)
            return;
        for (auto& c : clients_)
            c->stop();
        for (int left_behind = 0; left_behind < 100 && !ends_well();)
            ++left_behind;
    }

    simulation& simulated() { return simulation_; }
    virtual_world& world() { return simulation_.world(); }
    simulated_server& server(std::string_view name = "redis") { return simulation_.server(name); }
    process& at(std::string_view name) { return simulation_.at(name); }
    core::instant now() const { return simulation_.now(); }

    // From now on clients are those of a cluster, and connect to these nodes first.
    void use_seeds(std::vector<std::string> names) { seeds_ = std::move(names); }
    // From now on clients ask these sentinels for their server.
    void use_sentinels(std::vector<std::string> names) { sentinels_ = std::move(names); }
    // A running client in the process of that name. It connects as soon as run() lets time pass.
    holdfast::client& client(
        std::string_view where = "A", holdfast::config c = quick(), std::string const& server = "redis")
    {
        auto& p = at(where);
        if (!c.log)
            c.log = [this](log_level, std::string_view line) { log_.emplace_back(line); };
        auto const make_io = [this, &p, server](engine::strand s, holdfast::config const& config, engine::log l) {
            if (!seeds_.empty())
                return simulation_.make_cluster_io(p, std::move(s), config, std::move(l), seeds_);
            if (!sentinels_.empty())
                return simulation_.make_sentinel_io(p, std::move(s), config, std::move(l), sentinels_);
            return simulation_.make_io(p, std::move(s), config, std::move(l), server);
        };
        clients_.push_back(
            std::make_unique<holdfast::client>(detail::client_access::make(p.get_executor(), c, make_io)));
        clients_.back()->run(asio::detached);
        return *clients_.back();
    }

    // Destroys the client.
    void destroy(holdfast::client const& c)
    {
        std::erase_if(clients_, [&](auto const& mine) { return mine.get() == &c; });
    }

    // Runs a coroutine in a process to its end, and rethrows its exception.
    template <class Coroutine>
    void run(Coroutine body, std::string_view where = "A")
    {
        bool done = false;
        std::exception_ptr error;
        asio::co_spawn(at(where).get_executor(), std::move(body), [&](std::exception_ptr e) {
            done = true;
            error = e;
        });
        world().run_until([&] { return done; });
        if (error)
            std::rethrow_exception(error);
        if (!done)
            throw std::runtime_error("the coroutine is stuck");
    }

    // Starts a coroutine that runs concurrently with the next run().
    template <class Coroutine>
    void spawn(Coroutine body, std::string_view where = "A")
    {
        asio::co_spawn(at(where).get_executor(), std::move(body), [](std::exception_ptr e) {
            if (e)
                std::rethrow_exception(e);
        });
    }

    auto sleep(core::duration d, std::string_view where = "A") { return at(where).sleep(d, asio::use_awaitable); }

    bool exists(std::string_view key, std::string_view at = "redis")
    {
        return server(at).execute({"EXISTS", key}).integer != 0;
    }
    engine::client_engine::census census(holdfast::client& c) { return detail::client_access::state_of(c).count(); }

    // The commands that the server has executed since the last call, without those of scripts.
    std::vector<std::string> commands() { return std::exchange(commands_, {}); }
    std::vector<std::string> const& log() const { return log_; }
    long lines_with(std::string_view part) const
    {
        return std::ranges::count_if(log_, [&](auto const& l) { return l.find(part) != l.npos; });
    }

    static holdfast::config quick()
    {
        using namespace std::chrono_literals;
        return {.lease = 3s, .command_timeout = 500ms, .poll_interval = 1s};
    }

private:
    // A coroutine that still waits fails when its client is stopped. That fails the test, but must not end the program.
    // A failed assertion in such a coroutine is recorded already.
    bool ends_well()
    {
        try {
            world().run();
            return true;
        } catch (std::exception const& e) {
            FAIL_CHECK("left behind at the end of the scenario: " << e.what());
        } catch (...) {}
        return false;
    }

    int const failures_ = std::uncaught_exceptions();
    std::vector<std::string> commands_;
    std::vector<std::string> seeds_;
    std::vector<std::string> sentinels_;
    std::vector<std::string> log_;  // outlives the world, whose clients write to it
    simulation simulation_;
    std::vector<std::unique_ptr<holdfast::client>> clients_;
};

// The end of a lease's validity in virtual time.
inline core::instant validity(lease& l)
{
    return tenure_of(l).valid_until();
}

// The error with which an operation completes, or no error.
template <class Awaitable>
asio::awaitable<error_code> error_of(Awaitable a)
{
    try {
        co_await std::move(a);
    } catch (boost::system::system_error const& e) {
        co_return e.code();
    }
    co_return error_code();
}

// The text of the exception with which an operation ends; empty: it succeeded.
template <class Awaitable>
asio::awaitable<std::string> text_of(Awaitable a)
{
    try {
        co_await std::move(a);
    } catch (holdfast::error const& e) {
        co_return e.what();
    }
    co_return "";
}

}  // namespace holdfast::test

#endif
