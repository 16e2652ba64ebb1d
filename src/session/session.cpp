//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/session.hpp"

#include <array>
#include <cassert>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <holdfast/error.hpp>

#include "session/words.hpp"

namespace holdfast::session {
namespace {

using namespace std::chrono_literals;

// Limits all steps of opening a connection together, from the resolution of the name to the last reply to the greeting:
// a transport limits single steps only, and a server may accept connections without replying.
constexpr core::duration opening_limit = 10s;
// There are other seeds, and the locks of a moved slot may wait for one of them.
constexpr core::duration seed_opening_limit = 2s;

}  // namespace

engine::closing const session::another_cluster{
    errc::unavailable, "the seed belongs to another cluster than the one that the client uses", false};

session::session(
    engine::strand on,
    settings s,
    engine::log l,
    std::shared_ptr<world> w,
    std::unique_ptr<connector> c,
    std::optional<sentinel_group> g)
    : strand_(std::move(on)),
      settings_(std::move(s)),
      log_(std::move(l)),
      world_(std::move(w)),
      connector_(std::move(c)),
      health_check_(settings_.health)
{
    if (settings_.provider)
        authentication_ = std::make_unique<authentication>(
            strand_, settings_.provider, log_, static_cast<authenticating_session&>(*this));
    if (g)
        sentinels_ = std::make_unique<sentinels>(strand_, std::move(*g), log_, static_cast<following_session&>(*this));
}

session::~session() = default;

template <class Function>
void session::post(Function f)
{
    boost::asio::post(strand_, [self = shared_from_this(), of = generation_, f] {
        if (self->generation_ == of && self->state_ != state::stopped && !self->world_->is_inherited())
            f(*self);
    });
}

// Posted, because start() is a call of the engine, from which no event may come.
void session::start(engine::session_events& e)
{
    events_ = &e;
    post([](session& s) { s.connect(); });
}

// The state changes first: handlers that are posted already, and events of the connection, find it and do nothing. The
// objects of the engine may be destroyed as soon as this function returns. It may be called inside any event.
void session::stop() noexcept
{
    state_ = state::stopped;
    events_ = nullptr;
    pipeline_.replies().forget_all();
    for (core::deadline* const t : std::initializer_list<core::deadline*>{
             &opening_limit_, &settling_, &reconnection_, &deadline_, &silence_, &health_})
        disarm(*t);
    if (authentication_)
        authentication_->stop();
    if (sentinels_)
        sentinels_->stop();
    pipeline_.end();
}

// ---- connecting

void session::connect()
{
    ++generation_;
    if (!sentinels_)
        return connect_to_server();
    state_ = state::finding;
    sentinels_->find();
}

// The connection to a former master ends at once: it goes on answering, and grants locks that the new master grants,
// too. The next connection asks again.
void session::on_master(master_address const& m)
{
    if (state_ == state::finding) {
        connector_->on_master(m);
        connect_to_server();
    } else if (state_ != state::stopped && state_ != state::pausing) {
        lose({errc::unavailable, "the sentinels name another master", false}, end_cause::moved);
    }
}

void session::on_no_master(std::string_view why, end_cause cause)
{
    lose({errc::unavailable, why, false}, cause);
}

void session::connect_to_server()
{
    if (!authentication_)
        return greet(settings_.login);
    state_ = state::asking;
    authentication_->connect();
}

void session::greet_as(holdfast::credentials const& c)
{
    auto const& s = settings_.login;
    greet({true, c.user, c.password, s.client_name, s.database});
}

// The commands of the greeting are sent at once, in one write, and each reply is read when it arrives: a greeting costs
// one round trip, and further ones only for a barrier and in cluster mode. The timer is armed before write(), in which
// a transport in memory may complete the greeting.
void session::greet(client_login const& login)
{
    state_ = state::greeting;
    began_ = now();
    greeting_.begin(login.database != 0, settings_.connects_for, settings_.node_id, settings_.sharded_messages);
    pipeline_.begin(connector_->connect(std::shared_ptr<connection_events>(shared_from_this(), this)));
    arm(opening_limit_, began_ + (settings_.connects_for == purpose::seed ? seed_opening_limit : opening_limit));
    if (may_be_replaced())
        arm(silence_, began_ + settings_.silence_limit);
    pipeline_.send(hello_words(login));
    if (auto const database = std::to_string(login.database); login.database != 0)
        pipeline_.send(std::array<std::string_view, 2>{"SELECT", database});
    pipeline_.send(std::array<std::string_view, 1>{"INFO"});
    if (!settings_.node_id.empty())
        pipeline_.send(std::array<std::string_view, 2>{"CLUSTER", "MYID"});
    pipeline_.write();
}

void session::go_on(greeting::outcome o)
{
    auto const number = std::to_string(greeting_.previous().number);
    switch (o) {
        case greeting::outcome::more: return;
        case greeting::outcome::open: return open();
        case greeting::outcome::refused: return lose_refused(greeting_.refusal());
        case greeting::outcome::slots: pipeline_.send(slots_words); break;
        case greeting::outcome::kill: pipeline_.send(std::array<std::string_view, 4>{"CLIENT", "KILL", "ID", number});
    }
    pipeline_.write();
}

// The events are last: the engine may stop or drop the session in them.
void session::open()
{
    if (settings_.connects_for == purpose::seed && !knows(greeting_.slots()))
        return lose(another_cluster);
    disarm(opening_limit_);
    state_ = state::open;
    began_ = now();
    pause_.on_open();
    scripts_.on_open();
    unknown_errors_ = 0;
    right_.on_open();
    pipeline_.use(server().messages);
    health_check_.on_sent(began_);
    check_health();
    warn_of_eviction();
    if (pause_.ended_early())
        arm(settling_, began_ + reconnect_pause::settling_time);
    else
        on_settled();
    if (authentication_)
        authentication_->on_open();
    if (settings_.connects_for == purpose::seed)
        take_slots(greeting_.slots());
    if (is_open())
        events_->on_open();
}

// The connection counts: it is logged, and so is the next failure, whatever the last one was.
void session::on_settled()
{
    last_words_.clear();
    log_.info("connected to " + connector_->server_name() + " as client " + std::to_string(greeting_.id().number));
}

// Once, and again only if the policy has changed. Seeds do not own the locks: the primaries do.
void session::warn_of_eviction()
{
    auto const& policy = greeting_.eviction_policy();
    if (!settings_.warns_of_eviction || settings_.connects_for == purpose::seed)
        return;
    if (std::exchange(warned_policy_, policy) != policy && !policy.empty())
        log_.warning(
            connector_->server_name() + ": maxmemory-policy " + printable(policy)
            + ": the server evicts locks when memory is short, and other clients get them while their holders work on; "
              "set noeviction");
}

void session::on_opening_limit()
{
    lose({boost::asio::error::timed_out, "the connection could not be opened in time", false});
}

// ---- losing the connection

void session::on_ended(ending const& e)
{
    e.is_refusal ? lose_refused(classify_refusal(e.words)) : lose({e.code, e.words, false});
}

// With a provider, a refused password is not permanent: the provider may yield another one.
void session::lose_refused(engine::closing const& why)
{
    if (!authentication_ || !refuses_credentials(why.words))
        return lose(why);
    authentication_->on_refused();
    lose({errc::unavailable, why.words, false}, end_cause::credentials);
}

void session::go_without(std::string_view why)
{
    lose({errc::unavailable, why, false}, end_cause::credentials);
}

// The connection is closed in a turn of its own, because drop() is a call of the engine, which on_closed() must not
// re-enter. Until then the session reads no reply: the caller has found that they cannot be trusted, or arrive too
// late.
void session::drop(std::string_view why)
{
    if (state_ != state::open)
        return;
    state_ = state::dropping;
    post([text = std::string(why)](session& s) { s.lose({errc::unavailable, text, false}); });
}

// The end of a connection, in an order that matters:
// - `self` first: a command or an event may release the last owner of the session.
// - The state, before any call of the engine: is_open() must be false when commands end as unknown.
// - The generation: a flush or a drop that is posted already must not reach the next connection. The posted flush will
//   not run, so its flag must be reset, or no flush would be posted any more.
// - The connection is closed before the commands end, so that no reply can follow.
// - The commands end before on_closed(), as the port promises.
// - The next attempt is scheduled last, unless the engine has stopped the session meanwhile.
void session::lose(engine::closing const& why, end_cause cause)
{
    auto const self = shared_from_this();
    bool const was_open = state_ == state::open || state_ == state::dropping;
    if (was_open)
        pause_.on_end_after(now() - began_);
    state_ = state::pausing;
    ++generation_;
    flush_is_posted_ = false;
    for (core::deadline* const t :
         std::initializer_list<core::deadline*>{&opening_limit_, &settling_, &deadline_, &silence_, &health_})
        disarm(*t);
    pipeline_.end();
    if (authentication_)
        authentication_->on_closed();
    pipeline_.replies().give_up_all(now());
    if (state_ == state::pausing)
        report_closed(why, was_open);
    if (state_ == state::pausing)
        arm(reconnection_, now() + pause_.next(cause, random()));
}

// Logs a failure once, not at each attempt to connect, nor at the end of each short epoch. on_closed() is called each
// time.
void session::report_closed(engine::closing const& why, bool was_open)
{
    auto const words = printable(why.words.empty() ? why.code.message() : std::string(why.words));
    auto const line = connector_->server_name() + ": " + words;
    if (std::exchange(last_words_, words) != words)
        log_.warning("no connection to " + line + "; the client tries again");
    events_->on_closed({why.code, line, why.permanent, was_open});
}

// ---- sending

void session::submit(engine::command& c, std::span<std::string_view const> words)
{
    if (!is_open())
        return end_as_unknown(c);
    pipeline_.submit(c, words);
    flush_soon();
}

// For a command that was submitted although the session is not open. It is not in the pipeline, so it cannot take a
// reply to the greeting, or of the next connection. It ends in a turn of its own, because on_answer() is never called
// inside submit().
void session::end_as_unknown(engine::command& c)
{
    boost::asio::post(strand_, [self = shared_from_this(), &c, sent = now()] {
        if (self->state_ != state::stopped)
            c.on_answer({.sent = sent});
    });
}

void session::send_auth(engine::command& c, std::span<std::string_view const> words)
{
    if (is_open())
        submit(c, words);
}

// A server may refuse one channel, and go on with the subscriptions to others. These end, too.
void session::change(subscription_rows::change c, std::string_view channel)
{
    assert(is_open());
    bool const is_permitted = c == subscription_rows::change::unsubscribe || notifies();
    if (!is_open() || !is_permitted)
        return;
    pipeline_.change(c, channel);
    flush_soon();
}

void session::request_slots()
{
    assert(is_open() && settings_.connects_for == purpose::seed);
    if (!is_open())
        return;
    pipeline_.request_slots();
    flush_soon();
}

// In a turn of its own, because it is a call of the engine.
void session::doubt()
{
    if (is_open() && may_be_replaced())
        post([](session& s) { s.report_doubt(); });
}

// Posted: all commands of this turn of the event loop leave in one write, which costs the client and the server much
// less than a write for each.
void session::flush_soon()
{
    if (!std::exchange(flush_is_posted_, true))
        post([](session& s) { s.flush(); });
}

// The engine may stop or drop the session in on_turn_end(), so the state is checked again. The time is read just before
// the write, because validity counts from it (rule 1). Deadlines are set before the write, in which the connection may
// be lost.
void session::flush()
{
    if (is_open())
        events_->on_turn_end();
    flush_is_posted_ = false;  // not before: commands that were submitted in on_turn_end() need no flush of their own
    if (!is_open())
        return;  // lose() ends the commands
    auto const sent = now();
    pipeline_.end_turn(sent);
    if (!pipeline_.replies().empty())
        health_check_.on_sent(sent);
    watch_deadlines();
    pipeline_.write();
}

// ---- time

// All commands have the same time-out, so they end in the order in which they were sent, and one timer for the oldest
// is enough. It is not moved when a reply arrives: it then expires too early and is set again, which costs less than to
// move it each time.
void session::watch_deadlines()
{
    auto const oldest = pipeline_.replies().oldest_sent();
    if (!deadline_.is_armed() && oldest != core::never)
        arm(deadline_, oldest + settings_.command_timeout);
    if (may_be_replaced() && !silence_.is_armed() && oldest != core::never)
        arm(silence_, oldest + settings_.silence_limit);
}

// A primary that does not answer the greeting has perhaps been replaced, as one that does not answer a command.
core::instant session::unanswered_since()
{
    return state_ == state::greeting ? began_ : pipeline_.replies().oldest_sent();
}

// Asks again as long as the silence lasts. The event is last: the engine may stop or drop the session in it.
void session::on_silence()
{
    auto const since = unanswered_since();
    if (since == core::never)
        return;
    bool const is_silent = now() >= since + settings_.silence_limit;
    arm(silence_, (is_silent ? now() : since) + settings_.silence_limit);
    if (is_silent)
        report_doubt();
}

void session::report_doubt()
{
    sentinels_ ? sentinels_->on_doubt() : events_->on_doubt(nullptr);
}

void session::on_deadline()
{
    pipeline_.replies().expire(now() - settings_.command_timeout);
    if (state_ != state::stopped)
        watch_deadlines();
}

// The epoch must not end in the state `dropping`, in which no reply is read: drop() ends it.
void session::check_health()
{
    if (!is_open() || health_check_.is_off())
        return;
    auto const to_do = health_check_.judge(now(), pipeline_.replies().awaited_since());
    if (to_do.step == health_check::step::close)
        return lose({boost::asio::error::timed_out, "the server has not replied in time", false});
    if (to_do.step == health_check::step::ping) {
        pipeline_.ping();
        flush_soon();
    }
    arm(health_, to_do.next);
}

}  // namespace holdfast::session
