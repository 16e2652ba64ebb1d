//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/session.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <holdfast/error.hpp>

#include "core/backoff.hpp"
#include "redis/connection_config.hpp"
#include "redis/greeting.hpp"
#include "redis/link.hpp"
#include "redis/machine.hpp"
#include "redis/pipeline.hpp"
#include "redis/tls.hpp"
#include "redis/url.hpp"
#include "redis/words.hpp"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using boost::system::error_code;

// An epoch that lasted so long was a good one: the next pause is short again.
constexpr auto good_epoch = 1s;

// Timers of Asio stand still while the machine sleeps. No wait is longer, so that an alarm that fell due meanwhile
// is not late by the length of the sleep.
constexpr auto longest_wait = 1s;

class boost_session final : public engine::session,
                            public link_owner,
                            public std::enable_shared_from_this<boost_session> {
public:
    boost_session(
        engine::strand, endpoint, std::string name, boost::asio::ssl::context, config const&, engine::log);

    void start(engine::session_events&) override;
    void stop() noexcept override;
    bool is_open() const noexcept override { return is_open_; }
    void submit(engine::command&, std::span<std::string_view const>) override;
    void subscribe(std::string_view channel) override { add_subscription("SUBSCRIBE", channel); }
    void unsubscribe(std::string_view channel) override { add_subscription("UNSUBSCRIBE", channel); }
    bool notifies() const noexcept override { return notifies_; }
    void drop(std::string_view why) override;
    core::instant now() const noexcept override { return boot_time(); }
    void wake_at(core::instant) override;
    std::uint64_t random() noexcept override { return jitter_.next(); }
    std::array<std::uint8_t, 16> identity() override { return random_bytes(); }
    std::uint64_t incarnation() const noexcept override { return count_of_forks(); }

private:
    void on_greeted(link&) override;
    void on_barrier(link&) override;
    void on_finished(std::shared_ptr<batch> const&, error_code) override;
    void on_message(link&, std::string_view channel) override;
    void on_unsolicited(link&, std::string_view words) override;
    void on_ended(link&, error_code) override;
    std::shared_ptr<link_owner> keep() override { return shared_from_this(); }

    void connect();
    void limit_opening();
    void open();
    void close(engine::closing const&);
    void tell_closed(engine::closing const&);
    void connect_again(bool permanent);
    engine::closing reason_of(error_code, std::string const& details) const;
    void note_refused_subscription();

    void add_subscription(std::string_view verb, std::string_view channel);
    void flush_soon();
    void flush();
    void watch_deadlines();
    void wait_for_alarm();

    engine::strand strand_;
    endpoint endpoint_;
    std::string name_;
    boost::asio::ssl::context tls_;
    boost::redis::config connection_config_;
    engine::log log_;

    engine::session_events* events_ = nullptr;  // null before start() and after stop()
    std::shared_ptr<link> link_;                // null between epochs
    bool is_open_ = false;
    bool notifies_ = true;
    bool flush_is_posted_ = false;
    bool deadline_is_watched_ = false;
    pipeline pipeline_;

    connection_id last_;  // the last connection that carried commands
    core::instant opened_{};
    std::string last_words_;  // of the last failure that was logged
    std::string drop_words_;
    core::backoff pause_{50ms, 2s};
    core::backoff long_pause_{1s, 5s};
    jitter_source jitter_;

    core::instant alarm_ = core::never;
    boost::asio::steady_timer pace_timer_;  // limits the opening, and pauses before the next
    boost::asio::steady_timer deadline_timer_;
    boost::asio::steady_timer alarm_timer_;
};

std::uint64_t random_seed()
{
    std::uint64_t seed;
    auto const bytes = random_bytes();
    std::memcpy(&seed, bytes.data(), sizeof seed);
    return seed;
}

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
      alarm_timer_(strand_)
{}

// ---- epochs ----------------------------------------------------------------------------------------------------

void boost_session::start(engine::session_events& events)
{
    events_ = &events;
    boost::asio::post(strand_, [self = shared_from_this()] { self->connect(); });
}

void boost_session::connect()
{
    if (!events_)
        return;
    pipeline_.fault = {};
    drop_words_.clear();
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
    log_.info("connected to " + redacted(endpoint_) + " as client " + std::to_string(last_.number));
    events_->on_open();
}

void boost_session::drop(std::string_view why)
{
    if (!link_)
        return;
    is_open_ = false;
    drop_words_ = why;
    pipeline_.distrust_all();
    boost::asio::post(strand_, [self = shared_from_this(), of = std::weak_ptr(link_)] {
        if (self->link_ && self->link_ == of.lock())
            self->close({errc::unavailable, self->drop_words_, false});
    });
}

void boost_session::on_unsolicited(link& l, std::string_view words)
{
    if (&l == link_.get())
        pipeline_.fault = {
            fault::kind::unsolicited, engine::classify(words), std::string(without_arguments(words))};
}

void boost_session::on_ended(link& l, error_code ec)
{
    if (&l != link_.get())
        return;
    if (pipeline_.fault.what == fault::kind::refused_subscription)
        note_refused_subscription();
    auto const details = !l.greeting().refused().empty() ? l.greeting().refused() : l.details();
    auto const words = ec.message();
    auto why = reason_of(ec, details);
    if (why.words.empty())
        why.words = words;
    close(why);
}

engine::closing boost_session::reason_of(error_code ec, std::string const& details) const
{
    auto const& f = pipeline_.fault;
    if (!drop_words_.empty())
        return {errc::unavailable, drop_words_, false};
    switch (f.what) {
        case fault::kind::refused_subscription: return {errc::unavailable, f.words, false};
        case fault::kind::read_only: return {errc::server_refused, f.words, false};
        case fault::kind::malformed: return {errc::protocol, "a reply that makes no sense", false};
        case fault::kind::unsolicited: return judge_refusal(f.words);
        case fault::kind::none: break;
    }
    if (details.empty())
        return {ec, {}, false};
    return ec.category() == boost::asio::error::get_ssl_category() ? engine::closing{ec, details, false}
                                                                   : judge_refusal(details);
}

void boost_session::note_refused_subscription()
{
    using engine::refusal;
    auto const why = pipeline_.fault.why;
    // BUSY and the like stood in its place: it may be granted next time.
    if (why == refusal::not_now || why == refusal::out_of_resources || why == refusal::read_only)
        return;
    notifies_ = false;
    last_words_ = pipeline_.fault.words;  // said once
    log_.warning(
        "the server does not let this client subscribe, so waiting means polling: " + printable(last_words_));
}

void boost_session::close(engine::closing const& why)
{
    bool const was_good = is_open_ && now() - opened_ >= good_epoch;
    is_open_ = false;
    // The words may point into the link.
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
    alarm_timer_.cancel();
    if (link_)
        boost::asio::post(strand_, [last = std::move(link_)] { last->abort(); });
}

// ---- commands --------------------------------------------------------------------------------------------------

void boost_session::submit(engine::command& c, std::span<std::string_view const> words)
{
    pipeline_.collecting().add(c, words);
    flush_soon();
}

void boost_session::add_subscription(std::string_view verb, std::string_view channel)
{
    if (!notifies_)
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
    flush_is_posted_ = false;
    if (!events_ || !pipeline_.is_collecting())
        return;
    if (!is_open_)
        return pipeline_.give_up_all(
            now());  // submitted against the rule, or the connection is being dropped
    link_->execute(pipeline_.send(now()));
    watch_deadlines();
}

void boost_session::on_finished(std::shared_ptr<batch> const& b, error_code ec)
{
    // With an error the link ends, and gives up what it has not answered.
    if (!ec)
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

// ---- events ----------------------------------------------------------------------------------------------------

void boost_session::on_message(link& l, std::string_view channel)
{
    if (&l == link_.get() && is_open_)
        events_->on_message(channel);
}

void boost_session::wake_at(core::instant at)
{
    if (!events_ || at >= alarm_)
        return;
    alarm_ = at;
    wait_for_alarm();
}

void boost_session::wait_for_alarm()
{
    auto const rest = std::clamp<core::duration>(alarm_ - now(), 0s, longest_wait);
    alarm_timer_.expires_after(rest);
    alarm_timer_.async_wait([self = shared_from_this()](error_code ec) {
        if (ec || !self->events_ || self->alarm_ == core::never)
            return;
        if (self->now() < self->alarm_)
            return self->wait_for_alarm();
        self->alarm_ = core::never;
        self->events_->on_alarm();
    });
}

// ---- configuration ---------------------------------------------------------------------------------------------

std::string checked_name(std::string const& name)
{
    if (name.empty())
        return default_client_name();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; }))
        throw std::invalid_argument("name: only printable ASCII characters without spaces are allowed");
    return name;
}

boost::asio::ssl::context context_for(endpoint const& e, tls_options const& options)
{
    if (e.transport == transport::tls)
        return make_tls_context(options, e.hosts.front().host);
    refuse_tls_options(options);
    return boost::asio::ssl::context(
        boost::asio::ssl::context::tls_client);  // Boost.Redis wants one in any case
}

void warn_of(endpoint const& e, tls_options const& tls, engine::log const& log)
{
    if (tls.insecure_skip_verify)
        log.warning("tls.insecure_skip_verify: whoever sits on the wire to the server can read and change "
                    "everything");
    if (e.transport != transport::tls && e.has_password && is_remote(e))
        log.warning("url: the password travels in the clear; rediss:// would hide it");
}

}  // namespace

std::shared_ptr<engine::session> make_session(engine::strand on, config const& options, engine::log log)
{
    auto e = parse_url(options.url);
    auto name = checked_name(options.name);
    auto tls = context_for(e, options.tls);
    warn_of(e, options.tls, log);
    return std::make_shared<boost_session>(
        std::move(on), std::move(e), std::move(name), std::move(tls), options, std::move(log));
}

}  // namespace holdfast::redis
