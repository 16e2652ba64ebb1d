//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_WORLD_HPP
#define HOLDFAST_SESSION_WORLD_HPP

#include <array>
#include <cstdint>
#include <memory>

#include <boost/config.hpp>

#include "core/deadline_queue.hpp"
#include "engine/port/world.hpp"
#include "session/environment.hpp"

namespace holdfast::session {

// The implementation of engine::world, in production and in the simulator: the time of one client. The deadlines of all
// its sessions and the alarm of its engine are in one queue, which uses one timer of the system (rule 24). Lives on the
// strand; now() may be called from any thread.
//
// | state   | event     | next    | action                                                     |
// |---------|-----------|---------|------------------------------------------------------------|
// | running | arm()     | running | requests on_time() for the earliest deadline               |
// | running | on_time() | running | runs the deadlines that are due, then requests on_time()   |
// |         |           |         | for the next one                                           |
// | any     | stop()    | stopped | disarms the alarm; no on_time() follows                    |
// | stopped | wake_at() | stopped |                                                            |
// | any     | on_time() | same    | in a forked child: nothing, and no on_time() follows       |
//
// A session disarms its deadlines when it stops, and sessions are stopped before their world.
class BOOST_SYMBOL_VISIBLE world final : public engine::world,
                                         private clock_events,
                                         public std::enable_shared_from_this<world> {
public:
    world() = default;
    world(world const&) = delete;
    world& operator=(world const&) = delete;

    // Called once, before all other functions. Not a parameter of the constructor: the environment needs clock(), which
    // needs a shared_ptr to this object.
    void live_in(std::unique_ptr<environment> e)
    {
        environment_ = std::move(e);
        made_in_ = environment_->incarnation();
    }
    std::weak_ptr<clock_events> clock();

    // ---- for the engine
    void start(engine::world_events& e) override { events_ = &e; }
    void stop() noexcept override;
    core::instant now() const noexcept override { return environment_->now(); }
    void wake_at(core::instant) override;
    std::uint64_t random() noexcept override { return environment_->random(); }
    std::array<std::uint8_t, 16> identity() override { return environment_->identity(); }
    bool is_inherited() const noexcept override { return environment_->incarnation() != made_in_; }

    // ---- for the sessions
    // A deadline keeps its session alive while it runs: the engine may release the last owner within it.
    void arm(core::deadline&, core::instant);
    void disarm(core::deadline& d) noexcept { deadlines_.disarm(d); }

private:
    class alarm final : public core::deadline {
    public:
        explicit alarm(world& w) noexcept : world_(w) {}
        void on_due(core::instant) override { world_.events_->on_alarm(); }

    private:
        world& world_;
    };

    void on_time() override;

    std::unique_ptr<environment> environment_;
    std::uint64_t made_in_ = 0;               // the incarnation of the process that made the client
    engine::world_events* events_ = nullptr;  // null before start()
    bool is_stopped_ = false;
    core::deadline_queue deadlines_;
    alarm alarm_{*this};
};

}  // namespace holdfast::session

#endif
