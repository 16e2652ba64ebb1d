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

#include "session/words.hpp"

namespace holdfast::session {
namespace {

using namespace std::chrono_literals;

// Opening a connection, all its steps together.
constexpr core::duration opening_limit = 10s;
// An epoch that lasted so long was a good one: the next pause is short again.
constexpr core::duration good_epoch = 1s;

// No command of ours has such a reply.
bool is_nested(engine::reply const& r)
{
    return std::ranges::any_of(r.items, [](auto const& item) { return item.type == engine::reply::kind::array; });
}

}  // namespace

session::session(engine::strand on, settings s, engine::log l)
    : strand_(std::move(on)), settings_(std::move(s)), log_(std::move(l)), pause_(50ms, 2s), long_pause_(1s, 5s)
{}

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

void session::start(engine::session_events& e)
{
    events_ = &e;
    post([](session& s) { s.connect(); });
}

void session::stop() noexcept
{
    state_ = state::stopped;
    events_ = nullptr;
    awaited_.forget_all();
    row_channels_.clear();
    for (auto* const t : {&opening_limit_, &reconnection_, &deadline_, &alarm_})
        timers_.disarm(*t);
    environment_->stop();
    if (auto const last = std::move(connection_))
        last->close();
}

// ---- connecting

void session::connect()
{
    assert(awaited_.empty());  // or the first reply would be read as that of an earlier command
    ++generation_;
    state_ = state::greeting;
    greeting_.begin(settings_.who.database != 0);
    connection_ = environment_->connect(std::shared_ptr<connection_events>(shared_from_this(), this));
    arm(opening_limit_, now() + opening_limit);
    send(hello_words(settings_.who));
    if (auto const database = std::to_string(settings_.who.database); settings_.who.database != 0)
        send(std::array<std::string_view, 2>{"SELECT", database});
    send(std::array<std::string_view, 2>{"INFO", "server"});
    leave();
}

void session::go_on(greeting::outcome o)
{
    switch (o) {
        case greeting::outcome::more: return;
        case greeting::outcome::open: return open();
        case greeting::outcome::refused: return lose(greeting_.refusal());
        case greeting::outcome::kill: break;
    }
    auto const number = std::to_string(greeting_.previous().number);
    send(std::array<std::string_view, 4>{"CLIENT", "KILL", "ID", number});
    leave();
}

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

// Until the connection is closed at the end of this turn, its replies are dropped.
void session::drop(std::string_view why)
{
    if (state_ != state::open)
        return;
    state_ = state::dropping;
    post([text = std::string(why)](session& s) { s.lose({errc::unavailable, text, false}); });
}

void session::lose(engine::closing const& why)
{
    auto const self = shared_from_this();
    bool const was_good = (state_ == state::open || state_ == state::dropping) && now() - opened_ >= good_epoch;
    state_ = state::pausing;
    ++generation_;
    flush_is_posted_ = false;
    row_channels_.clear();
    timers_.disarm(opening_limit_);
    timers_.disarm(deadline_);
    std::exchange(connection_, nullptr)->close();
    if (was_good)
        pause_.reset();
    awaited_.give_up_all(now());
    if (state_ == state::pausing)
        tell_closed(why);
    if (state_ == state::pausing)
        arm(reconnection_, now() + (why.permanent ? long_pause_ : pause_).next(random()));
}

// The same failure is logged once.
void session::tell_closed(engine::closing const& why)
{
    auto const words = printable(why.words.empty() ? why.code.message() : std::string(why.words));
    if (std::exchange(last_words_, words) != words)
        log_.warning("no connection to " + environment_->server_name() + ": " + words);
    events_->on_closed({why.code, words, why.permanent});
}

// ---- sending

void session::submit(engine::command& c, std::span<std::string_view const> words)
{
    if (!is_open())
        return end_as_unknown(c);
    send_row();
    send(words);
    awaited_.add(c);
    flush_soon();
}

// No reply of another connection, or of the greeting, may be read as that of a command that was submitted against the
// rule.
void session::end_as_unknown(engine::command& c)
{
    boost::asio::post(strand_, [self = shared_from_this(), &c, sent = now()] {
        if (self->state_ != state::stopped)
            c.on_answer({.sent = sent});
    });
}

// Several of one kind in a row are one command with one guard.
void session::add_to_row(std::string_view verb, std::string_view channel)
{
    assert(is_open());
    if (!is_open() || !notifies())
        return;
    if (verb != row_verb_)
        send_row();
    row_verb_ = verb;
    row_channels_.emplace_back(channel);
    flush_soon();
}

void session::send_row()
{
    if (row_channels_.empty())
        return;
    std::vector<std::string_view> words{row_verb_};
    words.insert(words.end(), row_channels_.begin(), row_channels_.end());
    send(words);
    send(std::array<std::string_view, 1>{"PING"});
    awaited_.add_guard(row_verb_ == "SUBSCRIBE");
    row_channels_.clear();
}

// The replies may come within, and end the connection.
void session::leave()
{
    auto const c = connection_;
    c->flush();
}

void session::send(std::span<std::string_view const> words)
{
    connection_->send(words);
}

void session::flush_soon()
{
    if (!std::exchange(flush_is_posted_, true))
        post([](session& s) { s.flush(); });
}

void session::flush()
{
    if (is_open())
        events_->on_turn_end();
    flush_is_posted_ = false;  // not before: what was submitted just now needs no flush of its own
    if (!is_open())
        return;  // the end of the connection answers
    send_row();
    awaited_.on_flush(now());
    watch_deadlines();
    leave();
}

// ---- receiving

void session::on_reply(engine::reply const& r)
{
    if (state_ == state::greeting)
        return go_on(greeting_.on_reply(r, now()));
    if (state_ != state::open)
        return;
    if (awaited_.empty() || is_nested(r))
        return lose({errc::protocol, "a reply that makes no sense", false});
    auto const first = awaited_.take();
    if (first.kind != awaited_replies::kind::command)
        return r.text == "PONG" ? pass_guard(first.kind) : on_refused_subscription(r.text);
    if (first.to)
        first.to->on_answer({.outcome = engine::outcome::applied, .sent = first.sent, .value = r});
}

void session::on_error(std::string_view words)
{
    if (state_ == state::greeting)
        return go_on(greeting_.on_error(words));
    if (state_ != state::open)
        return;
    if (awaited_.empty())
        return lose(classify_refusal(words));
    auto const first = awaited_.take();
    if (first.kind != awaited_replies::kind::command)
        return on_refused_subscription(words);
    auto const why = engine::classify(words);
    if (first.to)
        first.to->on_answer({.outcome = engine::outcome::refused, .sent = first.sent, .why = why, .words = words});
    if (why == engine::refusal::read_only && is_open())
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
        log_.info("the server lets this client subscribe again");
}

// Every reply from here on would be read as that of another command, so the connection ends. A refusal that passes says
// nothing of the right to subscribe.
void session::on_refused_subscription(std::string_view words)
{
    auto const text = printable(words);
    if (!engine::is_passing(engine::classify(words))) {
        last_words_ = text;  // logged once
        if (right_.on_refused() == core::subscription_right::change::polls)
            log_.warning("the server does not let this client subscribe, so waiting means polling: " + text);
    }
    lose({errc::unavailable, words, false});
}

// ---- time

void session::arm(timer& t, core::instant when)
{
    timers_.arm(t, when);
    environment_->wake_at(timers_.next());
}

void session::on_time()
{
    auto const self = shared_from_this();
    if (state_ == state::stopped)
        return;
    timers_.run(now());
    if (state_ != state::stopped && !timers_.empty())
        environment_->wake_at(timers_.next());
}

// Commands time out in the order in which they were sent.
void session::watch_deadlines()
{
    auto const oldest = awaited_.oldest_sent();
    if (!deadline_.is_armed() && oldest != core::never)
        arm(deadline_, oldest + settings_.command_timeout);
}

void session::on_deadline()
{
    awaited_.expire(now() - settings_.command_timeout);
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
