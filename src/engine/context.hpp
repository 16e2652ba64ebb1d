//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_CONTEXT_HPP
#define HOLDFAST_ENGINE_CONTEXT_HPP

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include <boost/intrusive/list.hpp>

#include <holdfast/config.hpp>
#include <holdfast/error.hpp>

#include "core/deadline_queue.hpp"
#include "core/response_time.hpp"
#include "core/token.hpp"
#include "engine/contender.hpp"
#include "engine/log.hpp"
#include "engine/mailbox.hpp"
#include "engine/registry.hpp"
#include "engine/releaser.hpp"
#include "engine/session.hpp"
#include "engine/subscriptions.hpp"
#include "engine/telemetry.hpp"
#include "engine/watchdog.hpp"

namespace holdfast::engine {

// Somebody who waits for the client as a whole: until it is ready, or until it is idle. Owned by whoever made it until
// it is called, once.
class client_waiter
    : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    virtual void done(error_code) = 0;

protected:
    ~client_waiter() = default;
};

using client_waiters = boost::intrusive::list<client_waiter, boost::intrusive::constant_time_size<false>>;

// The inside of a client: what its arbiters share, and where the session's events arrive. Everything on the strand.
class context final : private session_events {
public:
    context(std::shared_ptr<engine::session>, config const&, log, std::weak_ptr<inbox>);
    context(context const&) = delete;
    context& operator=(context const&) = delete;
    ~context();

    // ---- the client's verbs
    error_code start();
    // Told when the client is stopped.
    void wait_stopped(client_waiter& w) { awaiting_stop_.push_back(w); }
    // Told when an epoch is open, or when the server refuses us for good.
    void wait_ready(client_waiter&);
    error_code last_connect_error() const noexcept { return connect_error_; }
    // No new acquires; `drained` is told when nothing is held, sought or to be released.
    void close(client_waiter& drained);
    // At once: every contender and waiter is told, leases become lost, keys expire.
    void stop();
    std::string_view id() const noexcept { return uuid_; }
    bool is_stopped() const noexcept { return stage_.load(std::memory_order_relaxed) == stage::stopped; }

    void join(contender&);
    void contend(contender&);
    void leave(contender&, error_code why);
    // The user is told that it was cancelled, although what it waits for goes on.
    void call_off(contender&);
    void leave(tenure&, release_waiter*);
    // Its lease becomes empty: what it guarded goes on under another tenure.
    void detach(tenure&, release_waiter&);
    // Why nothing more can be done with that hold, whose lease somebody kept: success when it is held.
    static error_code check_held(tenure const&) noexcept;
    void extend(tenure&, core::duration, extension_waiter&);
    void watch_loss(tenure&, loss_waiter&);

    // Why no command can be sent for a newcomer now; success when one may be.
    error_code admission_error() const noexcept;

    // What is under way; all zero when nothing is, and nothing lingers.
    struct census {
        std::size_t arbiters, deadlines, channels, releases;
        bool operator==(census const&) const = default;
    };
    census count() const noexcept;

    // ---- what the engine's parts share
    engine::session& session() noexcept { return *session_; }
    config const& options() const noexcept { return config_; }
    engine::subscriptions& subscriptions() noexcept { return subscriptions_; }
    engine::registry& registry() noexcept { return registry_; }
    engine::watchdog& watchdog() noexcept { return watchdog_; }
    engine::releaser& releaser() noexcept { return releaser_; }
    engine::telemetry& telemetry() noexcept { return telemetry_; }
    std::weak_ptr<inbox> const& home() const noexcept { return home_; }

    core::instant now() noexcept { return recent_ = session_->now(); }
    // As now() was read last. For what follows a reading of the same turn: clock reads count on the path of an acquire.
    core::instant recent() const noexcept { return recent_; }
    std::uint64_t random() noexcept { return session_->random(); }
    core::response_time const& responses() const noexcept { return responses_; }
    void arm(core::deadline&, core::instant);
    void disarm(core::deadline& d) noexcept { deadlines_.disarm(d); }

    boost::intrusive_ptr<grant> seek(contender const&, boost::intrusive_ptr<grant> under);
    boost::intrusive_ptr<tenure> begin_tenure(
        contender const&, grant const&, core::instant counted_from, tenure* entered);
    void end_tenure(tenure&);
    void lose_tenure(tenure&, loss);
    // Its lease, which may outlive the client, still exists.
    void keep_lost(tenure&);
    void forget(arbiter&);
    // The tasks of one process share its one owner on purpose: all who wait for the lock hold it now.
    void admit_reentrants(owner_state const&, tenure&);

    // ---- outcomes of a contender
    void admit(contender&, boost::intrusive_ptr<tenure>);
    void refuse(contender&);
    void fail(contender&, error_code);

    void on_answer(answer const&);
    // Something ended: perhaps the last of all.
    void on_quieter();

private:
    enum class stage : std::uint8_t { fresh, running, closing, stopped };

    void on_open() override;
    void on_closed(closing const&) override;
    void on_message(std::string_view channel) override;
    void on_turn_end() override;
    void on_alarm() override;

    void release_lost(tenure&);
    void sever_lost() noexcept;
    bool is_idle() const noexcept;
    void set_alarm();
    std::string_view identity();
    void tell(client_waiters&, error_code);

    std::shared_ptr<engine::session> const session_;
    config const config_;
    std::weak_ptr<inbox> const home_;
    engine::telemetry telemetry_;
    core::deadline_queue deadlines_;
    core::instant alarm_ = core::never;
    core::instant recent_{};
    engine::subscriptions subscriptions_{*this};
    engine::watchdog watchdog_{*this};
    engine::releaser releaser_{*this};
    engine::registry registry_{*this};
    tenures lost_;

    std::atomic<stage> stage_ = stage::fresh;
    error_code refused_;  // for good, until an epoch opens
    error_code connect_error_;
    client_waiters awaiting_ready_;
    client_waiters awaiting_idle_;
    client_waiters awaiting_stop_;

    std::string uuid_;
    std::uint64_t incarnation_ = 0;
    std::uint64_t tokens_ = 0;
    core::response_time responses_;
};

}  // namespace holdfast::engine

#endif
