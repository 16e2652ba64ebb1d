//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_SIMULATED_SESSION_HPP
#define HOLDFAST_TESTING_SIMULATED_SESSION_HPP

#include <deque>
#include <memory>

#include <holdfast/config.hpp>

#include "core/backoff.hpp"
#include "core/subscription_right.hpp"
#include "engine/log.hpp"
#include "engine/session.hpp"
#include "engine/strand.hpp"
#include "testing/outbox.hpp"
#include "testing/world.hpp"

namespace holdfast::simulated {

// The session without Redis: the same promises as the one over Boost.Redis, over a modelled server and network.
class session final : public engine::session, private link_events, public std::enable_shared_from_this<session> {
public:
    session(engine::strand, config const&, engine::log, std::unique_ptr<world>);

    void start(engine::session_events&) override;
    void stop() noexcept override;
    bool is_open() const noexcept override { return phase_ == phase::open; }
    void submit(engine::command&, std::span<std::string_view const>) override;
    void await_turn_end() override { flush_soon(); }
    void subscribe(std::string_view channel) override;
    void unsubscribe(std::string_view channel) override;
    bool notifies() const noexcept override { return right_.may_subscribe(); }
    void drop(std::string_view why) override;
    core::instant now() const noexcept override { return world_->now(); }
    void wake_at(core::instant) override;
    std::uint64_t random() noexcept override { return world_->random(); }
    std::array<std::uint8_t, 16> identity() override { return world_->identity(); }
    std::uint64_t incarnation() const noexcept override { return world_->incarnation(); }

private:
    enum class phase : std::uint8_t { idle, connecting, greeting, open, waiting, stopped };

    // What waits for a reply, in the order of sending.
    struct slot {
        enum class kind : std::uint8_t { command, subscribe_guard, unsubscribe_guard, own_id, barrier };
        slot::kind kind;
        engine::command* to;  // none: nobody waits any more, the reply is dropped
        core::instant sent;
    };

    void on_connected() override;
    void on_reply(value const&) override;
    void on_push(value const&) override;
    void on_disconnected(boost::system::error_code) override;

    void dial();
    void greet(std::string_view name, words);
    void on_own_id(value const&);
    void on_barrier(value const&);
    void open();
    void lose(engine::closing const&);
    void give_up(boost::system::error_code, std::string_view text);
    void answer_unknown();
    void redial_later();

    void add_subscription(std::string_view verb, std::string_view channel);
    void enqueue(outbox::item, words);
    void flush_soon();
    void flush();
    void check_guard(bool subscribes, value const&);
    void judge(slot const&, value const&);
    void watch_deadlines();
    void expire();
    void ring();

    // A function that calls a member unless the session or its epoch is over by then.
    template <class Function>
    auto in_this_epoch(Function);

    engine::strand strand_;
    core::duration const timeout_;
    engine::log log_;
    std::unique_ptr<world> const world_;
    engine::session_events* events_ = nullptr;
    std::shared_ptr<link> link_;
    phase phase_ = phase::idle;
    std::uint64_t epoch_ = 0;  // counts attempts to connect, too
    std::int64_t own_id_ = 0;  // CLIENT ID of this connection; 0: not known
    std::int64_t old_id_ = 0;  // and of the one before, to be killed
    core::subscription_right right_;
    bool flush_is_posted_ = false;
    core::backoff backoff_;

    outbox outbox_;
    std::deque<slot> pending_;
    bool deadline_armed_ = false;
    core::instant alarm_ = core::never;
};

}  // namespace holdfast::simulated

#endif
