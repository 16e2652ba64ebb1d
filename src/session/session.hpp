//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_SESSION_HPP
#define HOLDFAST_SESSION_SESSION_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/config.hpp>

#include "core/deadline_queue.hpp"
#include "core/second_look.hpp"
#include "core/subscription_right.hpp"
#include "engine/port/log.hpp"
#include "engine/port/session.hpp"
#include "engine/port/strand.hpp"
#include "session/authentication.hpp"
#include "session/connector.hpp"
#include "session/greeting.hpp"
#include "session/health_check.hpp"
#include "session/known_cluster.hpp"
#include "session/pipeline.hpp"
#include "session/reconnect_pause.hpp"
#include "session/sentinels.hpp"
#include "session/world.hpp"

// src/session: the decisions about a connection: greeting, barrier, subscription guards, deadlines, reconnection; and
// the time of a client. The folder includes only itself, src/engine and src/core: no socket, no timer, no clock. A
// transport (src/redis, src/sim) provides connections through connector.hpp and connection.hpp, and time through
// environment.hpp.
namespace holdfast::session {

// The implementation of engine::session, in production and in the simulator. It greets a server, raises the barrier
// between epochs, assigns replies to commands, guards subscriptions, ends commands that have no reply in time, and
// connects again. Lives on the strand.
//
// | state    | event                                    | next     | action                                      |
// |----------|------------------------------------------|----------|---------------------------------------------|
// | idle     | start()                                  | greeting | connects, sends the greeting                |
// | idle     | the same, with a provider                | asking   | asks for credentials                        |
// | idle     | the same, with sentinels                 | finding  | asks them for the master                    |
// | finding  | they have named it                       | greeting | as idle without sentinels                   |
// |          |                                          | or asking|                                             |
// | finding  | they have not                            | pausing  | on_closed()                                 |
// | asking   | the provider has yielded credentials     | greeting | connects, sends the greeting                |
// | asking   | it has failed, or is late                | pausing  | on_closed()                                 |
// | greeting | the greeting is complete                 | open     | on_open()                                   |
// | greeting | a refusal, the end of the connection, or | pausing  | on_closed()                                 |
// |          | the limit of the opening has passed      |          |                                             |
// | open     | settling_time has passed, after an epoch | open     | logs the connection, which it does at once  |
// |          | that ended early                         |          | after any other epoch                       |
// | open     | drop()                                   | dropping | reads no reply any more                     |
// | open     | nothing was sent for a while             | open     | sends PING                                  |
// | open     | the end of the connection, a refused     | pausing  | commands end as `unknown`, then on_closed() |
// |          | subscription, a demoted server, the      |          |                                             |
// |          | limit of the health check has passed     |          |                                             |
// | dropping | the end of this turn                     | pausing  | the same                                    |
// | asking to| the sentinels name another master        | pausing  | the same: what the former one answers does  |
// | dropping |                                          |          | not count any more                          |
// | greeting,| silence, doubt()                         | the same | with sentinels: asks them; of a primary of  |
// | open     |                                          |          | a cluster: on_doubt()                       |
// | pausing  | the pause is over                        | as after | the same                                    |
// |          |                                          | idle     |                                             |
// | any      | stop()                                   | stopped  | forgets all commands                        |
//
// A timer that judges what was not read looks again if it fires late: see core::second_look.
//
// With a provider, `authentication` replaces the credentials while the session is open. With sentinels, the session asks
// them until it stops.
class BOOST_SYMBOL_VISIBLE session final : public engine::session,
                                           private connection_events,
                                           private authenticating_session,
                                           private following_session,
                                           public std::enable_shared_from_this<session> {
public:
    enum class state : std::uint8_t { idle, finding, asking, greeting, open, dropping, pausing, stopped };

    static constexpr core::duration usual_silence = std::chrono::milliseconds(250);

    struct settings {
        client_login login;
        core::duration command_timeout;
        credentials_provider provider = {};  // empty: the credentials of the login
        purpose connects_for = purpose::one_server;
        std::string node_id = {};  // of a member, if it is known
        holdfast::sharded_messages sharded_messages = holdfast::sharded_messages::automatic;
        health_limits health = {};
        bool warns_of_eviction = true;  // one session for each server
        // A server that is silent for so long may have been replaced.
        core::duration silence_limit = usual_silence;
    };

    // With sentinels, the connector leads to the master that they name.
    session(
        engine::strand,
        settings,
        engine::log,
        std::shared_ptr<world>,
        std::unique_ptr<connector>,
        std::optional<sentinel_group> = {});
    ~session() override;

    connection_id const& last_connection() const noexcept override { return greeting_.previous(); }
    void follow(connection_id const& last) override { greeting_.follow(last); }
    void start(engine::session_events&) override;
    void stop() noexcept override;
    bool is_open() const noexcept override { return state_ == state::open; }
    engine::server_identity const& server() const noexcept override { return greeting_.id().server; }
    engine::script_cache& scripts() noexcept override { return scripts_; }
    void submit(engine::command&, std::span<std::string_view const>) override;
    void await_turn_end() override { flush_soon(); }
    void subscribe(std::string_view channel) override { change(subscription_rows::change::subscribe, channel); }
    void unsubscribe(std::string_view channel) override { change(subscription_rows::change::unsubscribe, channel); }
    bool notifies() const noexcept override { return right_.may_subscribe(); }
    void give_up_subscribing(std::string_view channel) override;
    void request_slots() override;
    void doubt() override;
    void drop(std::string_view why) override;

private:
    // A deadline of the session, which calls a member function. The reference keeps the session meanwhile: the engine
    // may release its last owner.
    class timer : public core::deadline {
    public:
        timer(session& s, void (session::*on_due)()) noexcept : session_(s), on_due_(on_due) {}
        void on_due(core::instant) override
        {
            auto const self = session_.shared_from_this();
            (session_.*on_due_)();
        }

    protected:
        session& session_;

    private:
        void (session::*on_due_)();
    };

    // A timer that judges what was not read.
    class reply_timer final : public timer {
    public:
        using timer::timer;
        void on_due(core::instant now) override
        {
            auto const again = look_.after(due(), now);
            again == now ? timer::on_due(now) : session_.arm(*this, again);
        }

    private:
        core::second_look look_;
    };

    void on_reply(engine::reply const&) override;
    void on_error(std::string_view words) override;
    void on_message(std::string_view channel) override;
    void on_subscribed(std::string_view channel) override;
    void on_unsubscribed(std::string_view channel) override;
    void on_ended(ending const&) override;

    void on_master(master_address const&) override;
    void on_no_master(std::string_view why, end_cause) override;
    void greet_as(holdfast::credentials const&) override;
    void go_without(std::string_view why) override;
    void send_auth(engine::command&, std::span<std::string_view const> words) override;
    std::shared_ptr<void> keep() override { return shared_from_this(); }
    core::instant now() const noexcept override { return world_->now(); }
    std::uint64_t random() noexcept override { return world_->random(); }
    void arm(core::deadline& d, core::instant when) override { world_->arm(d, when); }
    void disarm(core::deadline& d) noexcept override { world_->disarm(d); }

    void connect();
    void connect_to_server();
    void greet(client_login const&);
    void go_on(greeting::outcome);
    void open();
    void on_opening_limit();
    void on_settled();
    void warn_of_eviction();
    void lose(engine::closing const& why) { lose(why, why.permanent ? end_cause::permanent : end_cause::lost); }
    void lose(engine::closing const&, end_cause);
    void lose_refused(engine::closing const&);
    void report_closed(engine::closing const&, bool was_open);

    void end_as_unknown(engine::command&);
    void change(subscription_rows::change, std::string_view channel);
    void flush_soon();
    void flush();
    void pass_ping(awaited_replies::kind);
    void end_row();
    void note_permitted_subscriptions();
    void note_denied_subscriptions(std::string const& text);
    void on_refused_subscription(std::string_view words);
    bool knows(core::cluster_map const&);
    void take_slots(core::cluster_map);
    void on_slots(engine::reply const&);
    void note_redirection(engine::answer&);

    void watch_deadlines();
    void on_deadline();
    bool may_be_replaced() const noexcept { return sentinels_ || settings_.connects_for == purpose::member; }
    core::instant unanswered_since();
    void on_silence();
    void report_doubt();
    void check_health();

    // Posts a call of a member function that concerns the current connection. The call is dropped if the session has
    // another connection by then, or has stopped. The handler keeps the session alive.
    template <class Function>
    void post(Function);

    static engine::closing const another_cluster;

    engine::strand strand_;
    settings const settings_;
    engine::log log_;
    std::shared_ptr<world> const world_;  // before the deadlines, which are armed in it
    std::unique_ptr<connector> const connector_;
    engine::session_events* events_ = nullptr;  // null before start() and after stop()

    state state_ = state::idle;
    std::uint64_t generation_ = 0;  // of the connection; changes when it begins and when it ends
    greeting greeting_;
    known_cluster cluster_;  // of the seeds
    pipeline pipeline_;      // has a connection while greeting, open or dropping
    engine::script_cache scripts_;
    core::subscription_right right_;
    bool flush_is_posted_ = false;
    unsigned unknown_errors_ = 0;  // replies to commands in a row, since the connection is open

    core::instant began_{};      // when the current epoch began, or the greeting before it
    std::string last_words_;     // of the last failure that was logged
    std::string warned_policy_;  // the eviction policy of the server, as it was logged; empty: it evicts no keys
    reconnect_pause pause_;

    health_check health_check_;

    reply_timer opening_limit_{*this, &session::on_opening_limit};
    timer settling_{*this, &session::on_settled};
    timer reconnection_{*this, &session::connect};
    reply_timer silence_{*this, &session::on_silence};    // of a primary of a cluster, or of a master
    reply_timer deadline_{*this, &session::on_deadline};  // of the oldest command: one timer for all (rule 24)
    reply_timer health_{*this, &session::check_health};
    std::unique_ptr<authentication> authentication_;  // null: without a provider
    std::unique_ptr<sentinels> sentinels_;            // null: the connector knows the server
};

}  // namespace holdfast::session

#endif
