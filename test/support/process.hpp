//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_PROCESS_HPP
#define HOLDFAST_TEST_SUPPORT_PROCESS_HPP

#include <functional>
#include <string>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/system/error_code.hpp>

#include "support/virtual_executor.hpp"

namespace holdfast::test {

// A process of the simulated world: handlers on its executor do not run while it is paused, and never after it was
// killed, while the network and the servers continue.
class process {
public:
    process(virtual_world& w, std::string name, std::uint64_t seed) : world_(w), name_(std::move(name)), chance_(seed)
    {}

    virtual_world& world() const noexcept { return world_; }
    std::string const& name() const noexcept { return name_; }
    test::chance& chance() noexcept { return chance_; }
    virtual_executor get_executor() noexcept { return virtual_executor(*this); }

    // As SIGSTOP and SIGCONT.
    void pause();
    void pause_for(core::duration);
    void resume();
    bool is_paused() const noexcept { return paused_; }

    // As SIGKILL: its connections close, and its handlers are not run, but kept until the world ends.
    void kill();
    bool is_dead() const noexcept { return dead_; }
    void on_kill(std::function<void()> f) { at_kill_.push_back(std::move(f)); }

    // It becomes a forked child: engine::world::is_inherited() is true for the clients that exist.
    void fork() noexcept { ++incarnation_; }
    std::uint64_t incarnation() const noexcept { return incarnation_; }

    // From now on its clock runs faster than the world's by this share (slower if negative). Sessions of this process
    // use that time; sleep() uses the world's.
    void set_clock_drift(double share) noexcept;
    core::instant local_time(core::instant world) const noexcept;
    core::instant world_time(core::instant local) const noexcept;

    // Work of this process that asio tracks.
    std::size_t unfinished() const noexcept { return unfinished_; }

    // Completes after this virtual time: void(error_code). Can be cancelled.
    template <boost::asio::completion_token_for<void(boost::system::error_code)> Token = boost::asio::deferred_t>
    auto sleep(core::duration d, Token&& token = {})
    {
        return boost::asio::async_initiate<Token, void(boost::system::error_code)>(sleep_initiation{this}, token, d);
    }

private:
    friend class virtual_world;
    friend class virtual_executor;

    using sleeper = boost::asio::any_completion_handler<void(boost::system::error_code)>;

    struct sleep_initiation {
        using executor_type = boost::asio::any_io_executor;
        process* self;

        executor_type get_executor() const noexcept { return self->get_executor(); }

        template <class Handler>
        void operator()(Handler&& h, core::duration d) const
        {
            self->start_sleep(sleeper(std::forward<Handler>(h)), d);
        }
    };

    void start_sleep(sleeper, core::duration);

    virtual_world& world_;
    std::string name_;
    test::chance chance_;
    double clock_drift_ = 0;
    core::instant drift_since_ = {};     // of the world, when the drift was set ...
    core::instant local_at_drift_ = {};  // ... and of this process at that moment
    bool paused_ = false;
    bool dead_ = false;
    std::uint64_t incarnation_ = 1;
    std::size_t unfinished_ = 0;
    std::vector<task> held_;  // while it is paused or dead
    std::vector<std::function<void()>> at_kill_;
};

}  // namespace holdfast::test

#endif
