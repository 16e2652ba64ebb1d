//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_VIRTUAL_WORLD_HPP
#define HOLDFAST_TEST_SUPPORT_VIRTUAL_WORLD_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/execution_context.hpp>

#include "core/clock.hpp"
#include "support/chance.hpp"
#include "support/trace.hpp"

namespace holdfast::test {

class process;
class virtual_executor;

struct world_options {
    std::uint64_t seed = 1;
    bool fifo = false;            // handlers run in the order of posting instead of a random one
    bool inline_dispatch = true;  // dispatch() from inside runs at once, as io_context does
    bool trace = false;
    std::uint64_t max_steps = 2'000'000;  // run() throws after so many handlers: a livelock
};

// A movable function object that is called once.
class task {
public:
    template <class Function>
    explicit task(Function f) : body_(std::make_unique<model<Function>>(std::move(f)))
    {}

    void operator()() { std::exchange(body_, nullptr)->call(); }

private:
    struct concept_base {
        virtual ~concept_base() = default;
        virtual void call() = 0;
    };

    template <class Function>
    struct model final : concept_base {
        explicit model(Function f) : function(std::move(f)) {}
        void call() override { std::move(function)(); }
        Function function;
    };

    std::unique_ptr<concept_base> body_;
};

// An execution context of one thread with virtual time: time jumps to the next event when no handler is ready. Handlers
// that are ready run in an order drawn from the seed; strands keep theirs. The seed determines everything that happens.
//
// Timers of Asio do not use this time and must not be used here: see sleep() of process.
class virtual_world final : public boost::asio::execution_context {
public:
    using executor_type = virtual_executor;
    using event = std::pair<core::instant, std::uint64_t>;

    explicit virtual_world(world_options = {});
    ~virtual_world();

    core::instant now() const noexcept { return now_; }
    test::chance& chance() noexcept { return chance_; }
    test::trace& trace() noexcept { return trace_; }
    world_options const& options() const noexcept { return options_; }

    // Starts a simulated process: it has an executor, and can be paused and killed.
    process& start_process(std::string name);
    // The executor of the process "main", which always exists.
    virtual_executor get_executor() noexcept;
    process& main() noexcept { return *processes_.front(); }

    // An event outside of all processes: f is called at that instant, also while processes are paused.
    event at(core::instant, std::function<void()>);
    void cancel(event const& e) { events_.erase(e); }

    // Runs until there is nothing left to do.
    void run();
    // Runs for this virtual time. Returns false if nothing was left to do before its end; time advances to the end
    // nevertheless.
    bool run_for(core::duration);
    // Runs until the condition holds, which is checked after each handler. Returns false if nothing is left to do and
    // it still does not hold.
    template <class Predicate>
    bool run_until(Predicate done)
    {
        while (!done())
            if (!step(core::never))
                return false;
        return true;
    }

    // The signal lives until everything that is bound to it is destroyed, and no longer: its handler may refer to
    // services of this context.
    boost::asio::cancellation_signal& new_signal() { return signals_.emplace_back(); }

    // Work that Asio tracks: coroutines and operations under way. If it is not 0 when idle, one of them waits for ever.
    std::size_t unfinished() const noexcept { return unfinished_; }
    std::uint64_t steps() const noexcept { return steps_; }

private:
    friend class virtual_executor;
    friend class process;

    struct ready {
        process* in;
        task what;
    };

    void enqueue(process&, task);
    bool step(core::instant limit);
    bool advance(core::instant limit);
    ready take();

    world_options const options_;
    std::thread::id const thread_ = std::this_thread::get_id();
    core::instant now_ = core::instant(std::chrono::seconds(1000));
    test::chance chance_;
    test::trace trace_;
    std::deque<ready> ready_;
    std::map<event, std::function<void()>> events_;
    std::uint64_t last_event_ = 0;
    std::uint64_t steps_ = 0;
    std::size_t unfinished_ = 0;
    process* running_ = nullptr;
    bool closing_ = false;
    std::deque<boost::asio::cancellation_signal> signals_;
    std::vector<std::unique_ptr<process>> processes_;
};

}  // namespace holdfast::test

#endif
