//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_RUNTIME_HPP
#define HOLDFAST_ENGINE_RUNTIME_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <holdfast/config.hpp>

#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "engine/port/client_io.hpp"
#include "engine/port/log.hpp"
#include "engine/port/mailbox.hpp"
#include "engine/port/session.hpp"
#include "engine/port/world.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "engine/runtime/acknowledgement.hpp"
#include "engine/runtime/lifecycle.hpp"
#include "engine/runtime/router.hpp"
#include "engine/runtime/shard.hpp"
#include "engine/runtime/telemetry.hpp"
#include "engine/runtime/token_source.hpp"

namespace holdfast::engine {

// src/engine/runtime: what all parts of the engine share. The folder includes only itself, engine/protocol, engine/port
// and core, and the vocabulary of the public headers.
//
// The services of one client: its shards with their sessions, the clock, deadlines, telemetry, options, tokens and
// lifecycle. It does not know the parts, so each part can be read, and tested, with it alone. client_engine owns it.
// All functions are called on the strand, except telemetry() and lifecycle(), whose headers say which of their
// functions any thread may call.
class runtime {
public:
    runtime(client_io const&, config const&, engine::log, std::weak_ptr<inbox> home);
    runtime(runtime const&) = delete;
    runtime& operator=(runtime const&) = delete;

    config const& options() const noexcept { return config_; }
    engine::log const& log() const noexcept { return log_; }
    engine::telemetry& telemetry() noexcept { return telemetry_; }
    engine::lifecycle& lifecycle() noexcept { return lifecycle_; }
    token_source& tokens() noexcept { return tokens_; }
    std::weak_ptr<inbox> const& home() const noexcept { return home_; }
    std::uint64_t random() noexcept { return world_->random(); }

    // ---- servers
    // Starts the world and the sessions.
    void start(world_events&, shard_events&);
    // Ends the sessions, then the world. No event follows.
    void stop() noexcept;

    // The shard of the server of the URL; of a client of a cluster, that of the seeds.
    engine::shard& first_shard() noexcept { return first_; }
    // Which shard has which slots; null: the client has one server.
    engine::router* router() noexcept { return router_.get(); }

    // The shard of the server that has the keys of that lock, and its session: the only way in which the engine finds a
    // session. A client of one server has one shard for all locks. In a cluster the shard of a lock changes when its
    // slot gets another primary.
    engine::shard& shard_of(lock_spec const& l) { return shard_of(l.slot); }
    engine::shard& shard_of(std::uint16_t slot) { return router_ ? router_->of(slot) : first_; }
    engine::session& session_of(lock_spec const& l) { return shard_of(l).session(); }
    bool is_at(engine::shard const& s, lock_spec const& l) noexcept
    {
        return router_ ? router_->find(l.slot) == &s : true;
    }
    // Whether that server has the keys of the lock, at whatever address.
    bool is_at(shard_id s, lock_spec const& l) const noexcept { return !router_ || router_->id_of(l.slot) == s; }
    template <class Action>
    void for_each_shard(Action act)
    {
        act(first_);
        if (router_)
            router_->for_each(act);
    }

    // What the answer of that server for that lock means. One of a server that is not the lock's primary any more, when
    // the answer is read, is unknown: a former primary may execute commands before it learns that it is none.
    answer counted(answer const& a, shard_id from, lock_spec const& l) const noexcept
    {
        bool const counts = a.outcome != outcome::applied || is_at(from, l);
        return counts ? a : answer{.outcome = outcome::unknown, .sent = a.sent};
    }

    // The server to which a command is sent again after that ASK; its session may be opening. None: there is none. With
    // config::acknowledged_by there is none, because the acknowledger of that server cannot write there: the slot is
    // not its own yet.
    std::optional<shard_id> asked(answer const& ask);
    // Its session, for a command that is sent in this turn. Null: there is none.
    engine::session* asked_session(answer const& ask);
    // The present session of that server. Null: there is none.
    engine::session* find_session(shard_id);

    // Whether what a server grants or renews counts only when replicas have it.
    bool needs_acknowledgement() const noexcept { return config_.acknowledged_by > 0; }
    // The waiter waits for that. False: nobody can ask the replicas of that server, or the lock has left it, so the
    // command does not count. Precondition: needs_acknowledgement().
    bool await_acknowledgement(
        acknowledgement_waiter&, shard_id, lock_spec const&, core::duration lease, core::instant sent);

    // Whether the client is ready: an epoch is open. In a cluster it then knows which primary has which slots.
    bool is_ready() const noexcept { return first_.is_open(); }
    // Why the client is refused for good by the server that would make it ready; success if it is not.
    described_error const& refusal() const noexcept { return first_.refusal(); }
    // Why an acquire or a query of that lock is not accepted; success if it is.
    described_error admission_error(lock_spec const&);
    // Why the server of that lock has not answered: there is no connection to it, or no reply came.
    error_text why_silent(lock_spec const&);
    // An attempt for that lock has its outcome.
    void on_answer(lock_spec const&, answer const&);

    // ---- time
    // Reads the clock.
    core::instant now() noexcept { return recent_ = world_->now(); }
    // The last result of now(), for code that runs after it in the same turn: reading the clock is a measurable part of
    // the cost of an acquire.
    core::instant recent() const noexcept { return recent_; }

    // Arms the deadline in the one queue of the client, whose earliest deadline sets the world's alarm.
    void arm(core::deadline&, core::instant);
    void disarm(core::deadline& d) noexcept { deadlines_.disarm(d); }
    std::size_t deadlines() const noexcept { return deadlines_.size(); }
    // The world's alarm has expired: runs the deadlines that are due, of thousands a part, and the others in the next turns.
    void on_alarm();

private:
    void set_alarm(core::instant not_before = core::instant::min());
    void fit(engine::shard&, core::cluster_primary const&);

    std::shared_ptr<engine::world> const world_;  // before tokens_, whose constructor uses it
    config const config_;
    session_maker const open_second_;
    std::weak_ptr<inbox> const home_;  // weak, because the inbox owns the engine, and with it this object
    engine::log const log_;
    engine::telemetry telemetry_;
    engine::lifecycle lifecycle_;
    token_source tokens_;
    core::deadline_queue deadlines_;
    core::instant alarm_ = core::never;  // as requested from the world; never: none
    core::instant recent_{};
    engine::shard first_;
    std::unique_ptr<engine::router> const router_;
};

}  // namespace holdfast::engine

#endif
