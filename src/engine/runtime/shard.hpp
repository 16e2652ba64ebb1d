//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SHARD_HPP
#define HOLDFAST_ENGINE_SHARD_HPP

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <holdfast/detail/described_error.hpp>
#include <holdfast/error.hpp>

#include "core/cluster_map.hpp"
#include "core/response_time.hpp"
#include "engine/port/log.hpp"
#include "engine/port/script_call.hpp"
#include "engine/port/session.hpp"
#include "engine/runtime/acknowledgement.hpp"

namespace holdfast::engine {

using detail::described_error;
using detail::error_text;

class shard;

// Which server a shard is at: the number that the router has given to its node. A node keeps it for the life of the
// client, whatever its address and its shard are, so a command under way remembers it instead of the shard, which may
// be destroyed before the answer comes.
enum class shard_id : std::uint16_t {
    first = core::cluster_map::no_primary,  // the server of the URL; of a client of a cluster, the seeds
};

// The events of the sessions of a client, each with the shard at which it arrived. What session_events says about calls
// holds here, too.
class shard_events {
public:
    virtual void on_open(shard&) = 0;
    virtual void on_closed(shard&, closing const&) = 0;
    virtual void on_message(shard&, std::string_view channel) = 0;
    virtual void on_subscribed(shard&, std::string_view channel) = 0;
    virtual void on_unsubscribed(shard&, std::string_view channel) = 0;
    virtual void on_turn_end(shard&) = 0;
    virtual void on_slots(shard&, core::cluster_map const&) = 0;
    virtual void on_doubt(shard&, core::redirect const*) = 0;

protected:
    ~shard_events() = default;
};

// One server, and what the client keeps for it: the session with its epoch, the estimate of the server's response time,
// whether the server refuses the client, and the commands that are gathered for it. A client of one server has one
// shard. All locks whose keys the server has are at its shard (runtime::shard_of()). On the strand.
class shard final : private session_events {
public:
    // The log must outlive the shard.
    shard(std::shared_ptr<engine::session>, log const&, shard_id = shard_id::first);
    shard(shard const&) = delete;
    shard& operator=(shard const&) = delete;
    shard_id id() const noexcept { return id_; }
    engine::session& session() noexcept { return *session_; }
    bool is_open() const noexcept { return session_->is_open(); }
    // From on_open() to on_closed(), at which all commands have their outcome. A dropped session is not open, but its
    // epoch ends later.
    bool has_epoch() const noexcept { return has_epoch_; }

    // Starts the session, whose events are passed on from here on.
    void start(shard_events&);
    // The session ends; no event follows. Idempotent. The shard may be destroyed afterwards, but not inside one of its
    // events.
    void stop() noexcept;

    // Why the server refuses this client, although it can be reached: a wrong password, for example. Success if it does
    // not. Another connection will not help, although the session goes on connecting; an epoch that opens ends the
    // refusal.
    described_error const& refusal() const noexcept { return refusal_; }
    // Why there is no connection; null: there is one, or none was opened yet.
    error_text const& why_closed() const noexcept { return why_closed_; }
    // Whether the last connection was lost, or could not be opened. Not before the first attempt to connect has ended.
    bool is_away() const noexcept { return is_away_; }

    // Asks the replicas of the server; null: nothing that this server grants is acknowledged, or need be
    // (runtime::needs_acknowledgement()). Call fit() before start().
    acknowledging* acknowledger() noexcept { return acknowledger_.get(); }
    void fit(std::unique_ptr<acknowledging> a) { acknowledger_ = std::move(a); }

    // The estimate of the server's response time, to which runtime::on_answer() adds.
    core::response_time& responses() noexcept { return responses_; }

    // The releases and renewals that are sent to this server in batches. The releaser and the watchdog use them.
    script_batches& releases() noexcept { return releases_; }
    script_batches& renewals() noexcept { return renewals_; }

private:
    void on_open() override;
    void on_closed(closing const&) override;
    void on_message(std::string_view channel) override { events_->on_message(*this, channel); }
    void on_subscribed(std::string_view channel) override { events_->on_subscribed(*this, channel); }
    void on_unsubscribed(std::string_view channel) override { events_->on_unsubscribed(*this, channel); }
    void on_turn_end() override { events_->on_turn_end(*this); }
    void on_slots(core::cluster_map const& m) override { events_->on_slots(*this, m); }
    void on_doubt(core::redirect const* r) override { events_->on_doubt(*this, r); }

    shard_id const id_;
    std::shared_ptr<engine::session> const session_;
    shard_events* events_ = nullptr;  // null before start()
    bool has_epoch_ = false;
    bool is_away_ = false;
    described_error refusal_;
    error_text why_closed_;
    core::response_time responses_;
    script_batches releases_;
    script_batches renewals_;
    std::unique_ptr<acknowledging> acknowledger_;
};

}  // namespace holdfast::engine

#endif
