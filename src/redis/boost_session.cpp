//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/boost_session.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <holdfast/error.hpp>

#include "redis/connection_config.hpp"
#include "redis/tls.hpp"
#include "redis/words.hpp"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;

// An epoch that lasted so long was a good one: the next pause is short again.
constexpr auto good_epoch = 1s;

std::uint64_t random_seed()
{
    std::uint64_t seed;
    auto const bytes = random_bytes();
    std::memcpy(&seed, bytes.data(), sizeof seed);
    return seed;
}

}  // namespace

using boost::system::error_code;

boost_session::boost_session(
    engine::strand on,
    endpoint e,
    std::string name,
    boost::asio::ssl::context tls,
    config const& options,
    engine::log log)
    : strand_(std::move(on)),
      endpoint_(std::move(e)),
      name_(std::move(name)),
      tls_(std::move(tls)),
      connection_config_(make_connection_config(endpoint_, name_, options)),
      log_(std::move(log)),
      pipeline_(options.command_timeout),
      jitter_(random_seed()),
      pace_timer_(strand_),
      deadline_timer_(strand_),
      alarm_(std::make_shared<alarm>(strand_))
{}

void boost_session::start(engine::session_events& events)
{
    events_ = &events;
    alarm_->start(events);
    boost::asio::post(strand_, [self = shared_from_this()] { self->connect(); });
}

void boost_session::connect()
{
    if (!events_)
        return;
    pipeline_.fault = {};
    drop_reason_.reset();
    opened_.reset();
    link_ = link::make(strand_, share(tls_), log_, *this, greeting(endpoint_, name_));
    link_->start(connection_config_);
    limit_opening();
}

void boost_session::limit_opening()
{
    pace_timer_.expires_after(opening_limit);
    pace_timer_.async_wait([self = shared_from_this(), of = std::weak_ptr(link_)](error_code ec) {
        if (!ec && !self->is_open_ && self->link_ && self->link_ == of.lock())
            self->close({boost::asio::error::timed_out, "the connection could not be opened in time", false});
    });
}

void boost_session::on_greeted(link& l)
{
    if (&l != link_.get())
        return;
    auto const& id = l.greeting().id();
    // Only on the very same run of the server is the old number still ours.
    if (last_.is_known() && last_.server_run == id.server_run && last_.number != id.number)
        l.kill(last_.number);
    else
        open();
}

void boost_session::on_barrier(link& l)
{
    if (&l == link_.get())
        open();
}

void boost_session::open()
{
    pace_timer_.cancel();
    last_ = link_->greeting().id();
    last_words_.clear();
    long_pause_.reset();
    opened_ = now();
    is_open_ = true;
    right_.on_open();
    log_.info("connected to " + redacted(endpoint_) + " as client " + std::to_string(last_.number));
    events_->on_open();
}

void boost_session::drop(std::string_view why)
{
    if (!link_ || drop_reason_)
        return;
    is_open_ = false;
    drop_reason_ = why;
    pipeline_.distrust_all();
    boost::asio::post(strand_, [self = shared_from_this(), of = std::weak_ptr(link_)] {
        if (self->link_ && self->link_ == of.lock())
            self->close({errc::unavailable, *self->drop_reason_, false});
    });
}

void boost_session::on_unsolicited(link& l, std::string_view words)
{
    if (&l == link_.get())
        pipeline_.fault = {fault::kind::unsolicited, engine::classify(words), std::string(without_arguments(words))};
}

void boost_session::on_ended(link& l, error_code ec)
{
    if (&l != link_.get())
        return;
    if (pipeline_.fault.what == fault::kind::refused_subscription)
        note_refused_subscription();
    auto const refusal = l.refusal(ec);
    auto const description = l.description(ec);
    close(refusal.empty() ? reason_of({ec, description, false}) : judge_refusal(refusal));
}

// Why it ended, when we made it end; else what the transport says.
engine::closing boost_session::reason_of(engine::closing const& transport) const
{
    auto const& f = pipeline_.fault;
    if (drop_reason_)
        return {errc::unavailable, *drop_reason_, false};
    switch (f.what) {
        case fault::kind::refused_subscription: return {errc::unavailable, f.words, false};
        case fault::kind::read_only: return {errc::server_refused, f.words, false};
        case fault::kind::malformed: return {errc::protocol, "a reply that makes no sense", false};
        case fault::kind::unsolicited: return judge_refusal(f.words);
        case fault::kind::none: break;
    }
    return transport;
}

void boost_session::note_refused_subscription()
{
    using engine::refusal;
    auto const why = pipeline_.fault.why;
    // BUSY and the like stood in its place: it may be granted next time.
    if (why == refusal::not_now || why == refusal::out_of_resources || why == refusal::read_only)
        return;
    last_words_ = pipeline_.fault.words;  // said once
    if (right_.on_refused() == core::subscription_right::change::polls)
        log_.warning(
            "the server does not let this client subscribe, so waiting means polling: " + printable(last_words_));
}

void boost_session::close(engine::closing const& why)
{
    bool const was_good = opened_ && now() - *opened_ >= good_epoch;
    is_open_ = false;
    std::exchange(link_, nullptr)->abort();
    pipeline_.give_up_all(now());
    if (was_good)
        pause_.reset();
    tell_closed(why);
    connect_again(why.permanent);
}

void boost_session::tell_closed(engine::closing const& why)
{
    if (!events_)
        return;
    auto const words = printable(why.words);
    if (std::exchange(last_words_, std::string(why.words)) != why.words)
        log_.warning("no connection to " + redacted(endpoint_) + ": " + words);
    events_->on_closed({why.code, words, why.permanent});
}

void boost_session::connect_again(bool permanent)
{
    if (!events_)
        return;
    pace_timer_.expires_after((permanent ? long_pause_ : pause_).next(random()));
    pace_timer_.async_wait([self = shared_from_this()](error_code ec) {
        if (!ec)
            self->connect();
    });
}

void boost_session::stop() noexcept
{
    events_ = nullptr;
    is_open_ = false;
    pipeline_.forget_all();
    pace_timer_.cancel();
    deadline_timer_.cancel();
    alarm_->stop();
    if (link_)
        boost::asio::post(strand_, [last = std::move(link_)] { last->abort(); });
}

void boost_session::submit(engine::command& c, std::span<std::string_view const> words)
{
    pipeline_.collecting().add(c, words);
    flush_soon();
}

void boost_session::add_subscription(std::string_view verb, std::string_view channel)
{
    if (!notifies())
        return;
    pipeline_.collecting().add_subscription(verb, channel);
    flush_soon();
}

void boost_session::flush_soon()
{
    if (std::exchange(flush_is_posted_, true))
        return;
    boost::asio::post(strand_, [self = shared_from_this()] { self->flush(); });
}

void boost_session::flush()
{
    if (events_ && is_open_)
        events_->on_turn_end();
    flush_is_posted_ = false;  // not before: what was submitted just now needs no flush of its own
    if (!events_ || !pipeline_.is_collecting())
        return;
    if (!is_open_)  // it was submitted against the rule, or the connection is being dropped
        return pipeline_.give_up_all(now());
    link_->execute(pipeline_.send(now()));
    watch_deadlines();
}

void boost_session::on_finished(std::shared_ptr<batch> const& b, error_code ec)
{
    // With an error the link ends, and gives up what it has not answered.
    if (ec)
        return;
    if (b->subscribes() && right_.on_confirmed() == core::subscription_right::change::subscribes_again)
        log_.info("the server lets this client subscribe again");
    pipeline_.finish(b);
}

void boost_session::watch_deadlines()
{
    auto const next = pipeline_.next_deadline();
    if (deadline_is_watched_ || next == core::never)
        return;
    deadline_is_watched_ = true;
    deadline_timer_.expires_after(std::max(next - now(), core::duration::zero()));
    deadline_timer_.async_wait([self = shared_from_this()](error_code ec) {
        self->deadline_is_watched_ = false;
        if (ec || !self->events_)
            return;
        self->pipeline_.expire(self->now());
        self->watch_deadlines();
    });
}

void boost_session::on_message(link& l, std::string_view channel)
{
    if (&l == link_.get() && is_open_)
        events_->on_message(channel);
}

}  // namespace holdfast::redis
