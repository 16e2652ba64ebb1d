//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/session.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <holdfast/error.hpp>

#include "engine/port/applied.hpp"
#include "session/words.hpp"

namespace holdfast::session {
namespace {

using namespace std::chrono_literals;

// Limits all steps of opening a connection together, from the resolution of the name to the last reply to the greeting:
// a transport limits single steps only, and a server may accept connections without replying.
constexpr core::duration opening_limit = 10s;
// After an epoch that lasted at least this long, the next pause is short again. After shorter ones the pauses grow: a
// server that accepts each connection and then closes it would otherwise cause a storm of connections.
constexpr core::duration good_epoch = 1s;

// Of the commands of the library, only HELLO and CLUSTER SLOTS have such a reply. They are part of the greeting.
bool is_nested(engine::reply const& r)
{
    return std::ranges::any_of(r.items, [](auto const& item) { return item.type == engine::reply::kind::array; });
}

}  // namespace

session::session(engine::strand on, settings s, engine::log l)
    : strand_(std::move(on)), settings_(std::move(s)), log_(std::move(l)), pause_(50ms, 2s), long_pause_(1s, 5s)
{}

// An aliasing pointer: the base class is private, so std::shared_ptr cannot convert the pointer.
std::weak_ptr<clock_events> session::clock()
{
    return std::shared_ptr<clock_events>(shared_from_this(), this);
}

template <class Function>
void session::post(Function f)
{
    boost::asio::post(strand_, [self = shared_from_this(), of = generation_, f] {
        if (self->generation_ == of && self->state_ != state::stopped)
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
    for (auto* const t : {&opening_limit_, &reconnection_, &deadline_, &alarm_})
        timers_.disarm(*t);
    environment_->stop();
    pipeline_.end();
}

// ---- connecting

// The commands of the greeting are sent at once, in one write, and each reply is read when it arrives: a greeting costs
// one round trip, and further ones only for a barrier and in cluster mode. The timer is armed before write(), in which
// a transport in memory may complete the greeting.
void session::connect()
{
    ++generation_;
    state_ = state::greeting;
    greeting_.begin(settings_.login.database != 0);
    pipeline_.begin(environment_->connect(std::shared_ptr<connection_events>(shared_from_this(), this)));
    arm(opening_limit_, now() + opening_limit);
    pipeline_.send(hello_words(settings_.login));
    if (auto const database = std::to_string(settings_.login.database); settings_.login.database != 0)
        pipeline_.send(std::array<std::string_view, 2>{"SELECT", database});
    pipeline_.send(std::array<std::string_view, 2>{"INFO", "server"});
    pipeline_.write();
}

void session::go_on(greeting::outcome o)
{
    auto const number = std::to_string(greeting_.previous().number);
    switch (o) {
        case greeting::outcome::more: return;
        case greeting::outcome::open: return open();
        case greeting::outcome::refused: return lose(greeting_.refusal());
        case greeting::outcome::slots: pipeline_.send(std::array<std::string_view, 2>{"CLUSTER", "SLOTS"}); break;
        case greeting::outcome::kill: pipeline_.send(std::array<std::string_view, 4>{"CLIENT", "KILL", "ID", number});
    }
    pipeline_.write();
}

// on_open() is last: the engine may stop or drop the session in it.
void session::open()
{
    timers_.disarm(opening_limit_);
    state_ = state::open;
    opened_ = now();
    last_words_.clear();
    long_pause_.reset();
    right_.on_open();
    log_.info("connected to " + environment_->server_name() + " as client " + std::to_string(greeting_.id().number));
    events_->on_open();
}

void session::on_opening_limit()
{
    lose({boost::asio::error::timed_out, "the connection could not be opened in time", false});
}

// ---- losing the connection

void session::on_ended(ending const& e)
{
    lose(e.is_refusal ? classify_refusal(e.words) : engine::closing{e.code, e.words, false});
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
void session::lose(engine::closing const& why)
{
    auto const self = shared_from_this();
    bool const was_good = (state_ == state::open || state_ == state::dropping) && now() - opened_ >= good_epoch;
    state_ = state::pausing;
    ++generation_;
    flush_is_posted_ = false;
    timers_.disarm(opening_limit_);
    timers_.disarm(deadline_);
    pipeline_.end();
    if (was_good)
        pause_.reset();
    pipeline_.replies().give_up_all(now());
    if (state_ == state::pausing)
        report_closed(why);
    if (state_ == state::pausing)
        arm(reconnection_, now() + (why.permanent ? long_pause_ : pause_).next(random()));
}

// Logs a failure once, not at each attempt to connect. on_closed() is called each time.
void session::report_closed(engine::closing const& why)
{
    auto const words = printable(why.words.empty() ? why.code.message() : std::string(why.words));
    if (std::exchange(last_words_, words) != words)
        log_.warning("no connection to " + environment_->server_name() + ": " + words + "; the client tries again");
    events_->on_closed({why.code, words, why.permanent});
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

void session::change_subscription(std::string_view verb, std::string_view channel)
{
    assert(is_open());
    if (!is_open() || !notifies())
        return;
    pipeline_.subscribe(verb, channel);
    flush_soon();
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
    pipeline_.end_turn(now());
    watch_deadlines();
    pipeline_.write();
}

// ---- receiving

// The entry is removed before the command is called, because the command may submit others, drop the connection or stop
// the session. In the state `dropping` replies are not read: the connection is not trusted any more. A reply without a
// command, or one that no command can have, means that replies and commands are out of step, so the connection ends.
void session::on_reply(engine::reply const& r)
{
    if (state_ == state::greeting)
        return go_on(greeting_.on_reply(r, now()));
    if (state_ != state::open)
        return;
    if (pipeline_.replies().empty() || is_nested(r))
        return lose({errc::protocol, "the client does not understand the server's reply", false});
    auto const first = pipeline_.replies().take();
    if (first.kind != awaited_replies::kind::command)
        return r.text == "PONG" ? pass_guard(first.kind) : on_refused_subscription(r.text);
    if (first.to)
        first.to->on_answer({.outcome = engine::outcome::applied, .sent = first.sent, .value = r});
}

// An error without a command concerns the connection, which ends with that reason. Before the connection to a server
// that is not the right one any more is closed, the command gets its outcome, which is a certain refusal.
void session::on_error(std::string_view words)
{
    if (state_ == state::greeting)
        return go_on(greeting_.on_error(words));
    if (state_ != state::open)
        return;
    if (pipeline_.replies().empty())
        return lose(classify_refusal(words));
    auto const first = pipeline_.replies().take();
    if (first.kind != awaited_replies::kind::command)
        return on_refused_subscription(words);
    auto const answer = engine::answer_to_error(first.sent, words);
    if (first.to)
        first.to->on_answer(answer);
    if (is_open() && leads_to_another_server(answer.why, server()))
        lose({errc::server_refused, words, false});
}

void session::on_message(std::string_view channel)
{
    if (is_open())
        events_->on_message(channel);
}

void session::pass_guard(awaited_replies::kind k)
{
    using change = core::subscription_right::change;
    if (k == awaited_replies::kind::subscribe_guard && right_.on_confirmed() == change::subscribes_again)
        log_.info("the server permits SUBSCRIBE again");
}

// The error took the place of the PONG, so the PONG would be taken for the reply to the next command, and so on: the
// connection ends. A temporary refusal (BUSY) does not mean that a permission is missing.
void session::on_refused_subscription(std::string_view words)
{
    auto const text = printable(words);
    if (!engine::is_passing(engine::classify(words))) {
        last_words_ = text;  // so that report_closed() does not log it again
        if (right_.on_refused() == core::subscription_right::change::polls)
            log_.warning("the server does not permit SUBSCRIBE, so waiters poll: " + text);
    }
    lose({errc::unavailable, words, false});
}

// ---- time

void session::arm(timer& t, core::instant when)
{
    timers_.arm(t, when);
    environment_->wake_at(timers_.next());
}

// `self`: a timer may call the engine, which may release the last owner of the session.
void session::on_time()
{
    auto const self = shared_from_this();
    if (state_ == state::stopped)
        return;
    timers_.run(now());
    if (state_ != state::stopped && !timers_.empty())
        environment_->wake_at(timers_.next());
}

// All commands have the same time-out, so they end in the order in which they were sent, and one timer for the oldest
// is enough. It is not moved when a reply arrives: it then expires too early and is set again, which costs less than to
// move it each time.
void session::watch_deadlines()
{
    auto const oldest = pipeline_.replies().oldest_sent();
    if (!deadline_.is_armed() && oldest != core::never)
        arm(deadline_, oldest + settings_.command_timeout);
}

void session::on_deadline()
{
    pipeline_.replies().expire(now() - settings_.command_timeout);
    if (state_ != state::stopped)
        watch_deadlines();
}

void session::wake_at(core::instant when)
{
    if (state_ != state::stopped && (!alarm_.is_armed() || when < alarm_.due()))
        arm(alarm_, when);
}

void session::on_alarm()
{
    events_->on_alarm();
}

}  // namespace holdfast::session
