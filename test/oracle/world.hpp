//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_WORLD_HPP
#define HOLDFAST_TEST_ORACLE_WORLD_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <holdfast/client.hpp>

#include "core/clock.hpp"
#include "engine/client_engine.hpp"
#include "oracle/locks.hpp"
#include "oracle/program.hpp"

namespace holdfast::test::oracle {

// The environment of a program: its processes, its servers, its clock. The code that executes steps and reports
// observations to the model depends on nothing else of the place where it runs.
class world {
public:
    virtual ~world() = default;

    // ---- processes
    // The executor of one operation of that process: handlers on it never run at the same time.
    virtual asio::any_io_executor executor_of(std::int64_t process) = 0;
    // Returns a client on which run() has not been called yet.
    virtual holdfast::client make_client(std::int64_t process, unsigned server, holdfast::config) = 0;
    // Runs f as code of that process, but not while the process is frozen. `where` is the executor of the operation
    // that f begins or refers to. With several threads this returns at once: see await_steps().
    virtual void run_inside(std::int64_t process, asio::any_io_executor where, std::function<void()> f) = 0;
    // Waits until everything that was passed to run_inside() has run.
    virtual void await_steps() {}
    virtual asio::awaitable<void> sleep(std::int64_t process, core::duration) = 0;
    virtual bool is_frozen(std::int64_t process) = 0;
    // Whether time and threads are real: Asio's timers work, and any thread may call the library.
    virtual bool is_real() const noexcept { return false; }

    // ---- time
    virtual core::instant now() const = 0;
    virtual void run_for(core::duration) = 0;
    // Lets time pass, after everything was given up, until connections are back, subscriptions have ended and releases
    // were sent. A world in real time ends this as soon as nothing is left.
    virtual void settle(std::function<bool()> const& is_nothing_left) = 0;
    // Lets time pass until every key has expired that is not deleted; returns false if that would take too long.
    virtual bool let_keys_expire() = 0;
    // Waits until everything that was begun has ended. The clients are destroyed.
    virtual void finish() = 0;

    // ---- faults
    // Injects the fault that the step describes; it ends at `end`, or by heal() for core::never.
    virtual void inject(step const&, core::instant end) = 0;
    virtual void delete_key(unsigned server, std::string_view key) = 0;
    // Stores application data under the name of a lock, unless the key exists; returns whether it did.
    virtual bool plant(lock_design const&, std::int64_t how) = 0;
    // Ends all faults.
    virtual void heal() = 0;

    // ---- what is left
    virtual bool exists(unsigned server, std::string_view key) = 0;
    virtual std::vector<std::string> keys(unsigned server) = 0;
    // The value of a string; empty: it is of another type.
    virtual std::string text(unsigned server, std::string_view key) = 0;
    virtual std::int64_t subscribers(unsigned server, std::string_view channel) = 0;
    virtual engine::client_engine::census census(holdfast::client&) = 0;

    // ---- the trace; may be called by any thread
    virtual bool is_traced() = 0;
    virtual void note(std::string_view source, std::string_view what) = 0;
    virtual std::string trace() = 0;
};

}  // namespace holdfast::test::oracle

#endif
