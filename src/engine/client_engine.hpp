//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_CLIENT_ENGINE_HPP
#define HOLDFAST_ENGINE_CLIENT_ENGINE_HPP

#include <cstddef>
#include <memory>
#include <string_view>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/config.hpp>
#include <holdfast/detail/described_error.hpp>
#include <holdfast/error.hpp>

#include "core/clock.hpp"
#include "core/cluster_map.hpp"
#include "engine/acquire/contender.hpp"
#include "engine/acquire/engine_parts.hpp"
#include "engine/acquire/fair_queues.hpp"
#include "engine/acquire/registry.hpp"
#include "engine/acquire/subscriptions.hpp"
#include "engine/hold/tenure_registry.hpp"
#include "engine/hold/watchdog.hpp"
#include "engine/port/session.hpp"
#include "engine/release/end_listener.hpp"
#include "engine/release/releaser.hpp"
#include "engine/runtime/runtime.hpp"
#include "engine/runtime/topology.hpp"
#include "engine/watch/watches.hpp"

namespace holdfast::engine {

class batch_acquire;

// Waits until the client is ready, idle or stopped. Its creator owns it until it is called, once, on the strand.
class client_waiter
    : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    virtual void done(detail::described_error) = 0;

protected:
    ~client_waiter() = default;
};

using client_waiters = boost::intrusive::list<client_waiter, boost::intrusive::constant_time_size<false>>;

// The engine of one client: it has the functions that operations call, and receives the events of the world and of
// the shards. It owns the parts in the folders `port` to `acquire`, and no part calls it, except through the interfaces
// world_events, shard_events and end_listener. It may include all folders of the engine, and `core`.
//
// Everything is called on the strand, except runtime(), whose telemetry and lifecycle other threads may use. Operations
// call it from a message; the completions that it causes are posted, so no call is re-entered.
class client_engine final : private world_events, private shard_events, private end_listener {
public:
    client_engine(client_io const&, config const&, log, std::weak_ptr<inbox>);
    client_engine(client_engine const&) = delete;
    client_engine& operator=(client_engine const&) = delete;
    ~client_engine();

    engine::runtime& runtime() noexcept { return runtime_; }

    // ---- the client
    // Starts to connect. Fails if the client runs, or has been stopped.
    error_code start();
    // Calls the waiter when an epoch is open, when the server refuses this client for good, or when the client stops.
    void wait_ready(client_waiter&);
    // The same, but not before the next epoch: of a server of a cluster, for example.
    void wait_epoch(client_waiter& w) { awaiting_epoch_.push_back(w); }
    // Calls the waiter when the client stops.
    void wait_stopped(client_waiter& w) { awaiting_stop_.push_back(w); }
    // Calls the waiter when the client accepts no acquires any more: it shuts down, or stops.
    void wait_closed(client_waiter& w) { awaiting_close_.push_back(w); }
    described_error last_connect_error() { return {connect_error_, runtime_.first_shard().why_closed()}; }
    // Calls the waiter when the bodies of with_lock should end: the client shuts down, or stops. At once if they should
    // already.
    void wait_ending(client_waiter&);
    // Accepts no acquires from here on; contenders complete with client_stopped. Calls `drained` when no lock is held
    // and no release is under way.
    void close(client_waiter& drained);
    // Asks the bodies of with_lock to end. Precondition: the client is closed. Idempotent.
    void end_bodies();
    // Contenders and waiters complete with client_stopped and leases are lost. Sends nothing: the keys expire, because
    // a body may still be running (rule 23). Idempotent.
    void stop();

    // ---- contenders
    // Begins an acquire. The contender may complete within the call.
    void join(contender&);
    // A batch for contenders that want their locks together or not at all.
    boost::intrusive_ptr<batch_acquire> make_batch();

    // ---- tenures
    // The lease was released or destroyed: ends the tenure, or releases what a lost one has left. `waiter` may be null.
    void leave(tenure&, release_waiter*);
    // A downgrade: the lease becomes empty, because its body goes on under another tenure.
    void detach(tenure&, release_waiter&);
    // Extends the hold. The waiter may be called within the call.
    void extend(tenure&, core::duration, extension_waiter&);
    // Calls the waiter when the tenure is lost or released; at once if it has ended already.
    void watch_loss(tenure&, loss_waiter&);

    // ---- watches
    // The state is read from here on. Precondition: the watch has not joined.
    void join(watch&);
    void leave(watch& w) { watches_.leave(w); }

    // Sends the releases that are queued for the server of that lock. Precondition: its session is open.
    void flush_releases(lock_spec const& l) { releaser_.flush(runtime_.shard_of(l)); }

    // For tests: the number of objects that are alive. All zero when nothing is under way and nothing lingers.
    struct census {
        std::size_t arbiters, deadlines, channels, releases;
        bool operator==(census const&) const = default;
    };
    census count() const noexcept;

private:
    void on_open(shard&) override;
    void on_closed(shard&, closing const&) override;
    void on_message(shard&, std::string_view channel) override;
    void on_subscribed(shard&, std::string_view channel) override;
    void on_unsubscribed(shard&, std::string_view channel) override;
    void on_turn_end(shard&) override;
    void on_slots(shard&, core::cluster_map const&) override;
    void on_doubt(shard&, core::redirect const*) override;
    void on_alarm() override;
    void on_end() override;

    template <class Action>
    void for_each_arbiter_at(shard const&, Action);
    void note_server(shard&);
    void reroute(core::slot_set const&);
    void move(core::slot_set const&);
    bool is_first(shard const& s) noexcept { return &s == &runtime_.first_shard(); }
    void release_lost(tenure&);
    bool is_idle() const noexcept;
    void complete_all(client_waiters&, described_error const&);

    engine::runtime runtime_;
    engine::subscriptions subscriptions_{runtime_};
    engine::watchdog watchdog_{runtime_};
    engine::releaser releaser_{runtime_, *this};
    engine::fair_queues fair_queues_{runtime_};
    tenure_registry tenures_{runtime_, watchdog_};
    topology topology_{runtime_};
    // Stores the reference to `parts_`, which is constructed later, because it has one to the registry.
    registry registry_{parts_, *this};
    engine_parts const parts_{runtime_, subscriptions_, watchdog_, releaser_, fair_queues_, tenures_, registry_};
    engine::watches watches_{parts_};

    error_code connect_error_;
    client_waiters awaiting_ready_;
    client_waiters awaiting_close_;
    client_waiters awaiting_epoch_;
    client_waiters awaiting_ending_;
    client_waiters awaiting_idle_;
    client_waiters awaiting_stop_;
};

}  // namespace holdfast::engine

#endif
