//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "testing/simulated_session.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <holdfast/error.hpp>

#include "testing/reply_view.hpp"

namespace holdfast::simulated {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using boost::system::error_code;

constexpr core::duration first_pause = 10ms;
constexpr core::duration longest_pause = 2s;

}  // namespace

session::session(engine::strand s, config const& c, engine::log l, std::unique_ptr<world> w)
    : strand_(std::move(s)),
      timeout_(c.command_timeout),
      log_(std::move(l)),
      world_(std::move(w)),
      backoff_(first_pause, longest_pause)
{}

template <class Function>
auto session::in_this_epoch(Function f)
{
    return [self = weak_from_this(), epoch = epoch_, f] {
        if (auto const s = self.lock(); s && s->epoch_ == epoch && s->phase_ != phase::stopped)
            f(*s);
    };
}

void session::start(engine::session_events& e)
{
    events_ = &e;
    asio::post(strand_, in_this_epoch([](session& s) { s.dial(); }));
}

void session::stop() noexcept
{
    phase_ = phase::stopped;
    events_ = nullptr;
    pending_.clear();
    outbox_.clear();
    world_->stop();
    if (auto const l = std::move(link_))
        l->close();
}

// ---- connecting

void session::dial()
{
    ++epoch_;
    phase_ = phase::connecting;
    auto const self = shared_from_this();
    link_ = world_->dial(std::shared_ptr<link_events>(self, this));
    world_->at(now() + timeout_, in_this_epoch([](session& s) {
                   if (!s.is_open())
                       s.give_up(asio::error::timed_out, "no answer while connecting");
               }));
}

void session::on_connected()
{
    phase_ = phase::greeting;
    pending_.push_back({slot::kind::own_id, nullptr, now()});
    std::string_view const ask[] = {"CLIENT", "ID"};
    link_->send(ask);
    link_->flush();
}

// Without the right to ask, there is no barrier: the documented exception.
void session::on_own_id(value const& reply)
{
    if (reply.is_error() && engine::classify(reply.text) != engine::refusal::not_permitted)
        return give_up(asio::error::try_again, reply.text);
    own_id_ = reply.integer;
    if (old_id_ == 0)
        return open();
    char digits[24];
    std::string_view const old(digits, std::to_chars(digits, digits + sizeof digits, old_id_).ptr);
    std::string_view const kill[] = {"CLIENT", "KILL", "ID", old};
    pending_.push_back({slot::kind::barrier, nullptr, now()});
    link_->send(kill);
    link_->flush();
}

void session::on_barrier(value const& reply)
{
    if (reply.is_error() && engine::classify(reply.text) != engine::refusal::not_permitted)
        return give_up(asio::error::try_again, reply.text);
    open();
}

// The id of the old connection is kept until its barrier has held.
void session::open()
{
    old_id_ = own_id_;
    phase_ = phase::open;
    right_.on_open();
    backoff_.reset();
    log_.debug("connected to a simulated server");
    events_->on_open();
}

// ---- losing the connection

void session::on_disconnected(error_code ec)
{
    give_up(ec, {});
}

void session::give_up(error_code ec, std::string_view text)
{
    lose({.code = ec, .words = text});
}

void session::lose(engine::closing const& why)
{
    auto const self = shared_from_this();
    phase_ = phase::waiting;
    ++epoch_;
    flush_is_posted_ = false;
    if (auto const l = std::move(link_))
        l->close();
    answer_unknown();
    if (phase_ == phase::stopped)
        return;
    events_->on_closed(why);
    if (phase_ != phase::stopped)
        redial_later();
}

// In the order of submission. Nothing can be submitted meanwhile, but stop() may come.
void session::answer_unknown()
{
    auto const sent = std::move(pending_);
    pending_.clear();
    for (auto const& s : sent)
        if (s.to && phase_ != phase::stopped)
            s.to->on_answer({.sent = s.sent});
    auto const unsent = outbox_.items();
    outbox_.clear();
    for (auto const& i : unsent)
        if (i.to && phase_ != phase::stopped)
            i.to->on_answer({.sent = now()});
}

void session::redial_later()
{
    auto const again = in_this_epoch([](session& s) { s.dial(); });
    world_->at(now() + backoff_.next(random()), again);
}

void session::drop(std::string_view why)
{
    log_.warning(why);
    asio::post(strand_, in_this_epoch([text = std::string(why)](session& s) {
                   s.give_up(asio::error::connection_aborted, text);
               }));
}

// ---- sending

void session::submit(engine::command& c, std::span<std::string_view const> text)
{
    assert(is_open());
    enqueue({outbox::kind::command, &c}, text);
}

void session::subscribe(std::string_view channel)
{
    assert(is_open() && notifies());
    add_subscription("SUBSCRIBE", channel);
}

void session::unsubscribe(std::string_view channel)
{
    assert(is_open());
    add_subscription("UNSUBSCRIBE", channel);
}

void session::add_subscription(std::string_view verb, std::string_view channel)
{
    std::string_view const text[] = {verb, channel};
    if (!outbox_.join_last(verb, channel))
        enqueue({outbox::kind::subscription, nullptr}, text);
}

void session::enqueue(outbox::item i, words text)
{
    outbox_.add(i, text);
    flush_soon();
}

void session::flush_soon()
{
    if (!std::exchange(flush_is_posted_, true))
        asio::post(strand_, in_this_epoch([](session& s) { s.flush(); }));
}

// A subscription reserves no place among the replies; its guard does (rule 10).
void session::flush()
{
    if (is_open())
        events_->on_turn_end();
    flush_is_posted_ = false;
    if (!is_open())
        return;
    auto const sent = now();
    outbox_.for_each([&](outbox::item const& i, words text) {
        link_->send(text);
        if (i.kind == outbox::kind::command) {
            pending_.push_back({slot::kind::command, i.to, sent});
        } else if (world_->guards_subscriptions()) {
            std::string_view const ping[] = {"PING"};
            link_->send(ping);
            bool const subscribes = text.front() == "SUBSCRIBE";
            pending_.push_back(
                {subscribes ? slot::kind::subscribe_guard : slot::kind::unsubscribe_guard, nullptr, sent});
        }
    });
    outbox_.clear();
    watch_deadlines();
    auto const l = link_;
    l->flush();
}

// ---- receiving

void session::on_reply(value const& reply)
{
    if (pending_.empty())
        return lose({.code = errc::protocol, .words = "a reply that nobody asked for"});
    auto const s = pending_.front();
    pending_.pop_front();
    switch (s.kind) {
        case slot::kind::own_id: return on_own_id(reply);
        case slot::kind::barrier: return on_barrier(reply);
        case slot::kind::subscribe_guard: return check_guard(true, reply);
        case slot::kind::unsubscribe_guard: return check_guard(false, reply);
        case slot::kind::command: return judge(s, reply);
    }
}

// Anything but PONG is the error of the subscription before: every reply after it would be read as another's.
void session::check_guard(bool subscribes, value const& reply)
{
    using change = core::subscription_right::change;
    bool const is_passed = reply == status("PONG");
    if (is_passed && subscribes && right_.on_confirmed() == change::subscribes_again)
        log_.info("the server lets this client subscribe again");
    if (is_passed)
        return;
    bool const is_denied = reply.is_error() && engine::classify(reply.text) == engine::refusal::not_permitted;
    if (is_denied && right_.on_refused() == change::polls)
        log_.warning("the server does not let this client subscribe, so waiting means polling");
    lose({.code = errc::protocol, .words = reply.text});
}

void session::judge(slot const& s, value const& reply)
{
    bool const demoted = reply.is_error() && engine::classify(reply.text) == engine::refusal::read_only;
    if (s.to)
        deliver(*s.to, s.sent, reply);
    if (demoted && is_open())
        lose({.code = asio::error::connection_aborted, .words = reply.text});
}

void session::on_push(value const& push)
{
    if (is_open() && push.items.size() == 3 && push.items[0].text == "message")
        events_->on_message(push.items[1].text);
}

// ---- time

// One alarm for all commands: they time out in the order in which they were sent.
void session::watch_deadlines()
{
    auto const next = std::find_if(pending_.begin(), pending_.end(), [](slot const& s) { return s.to != nullptr; });
    if (deadline_armed_ || next == pending_.end())
        return;
    deadline_armed_ = true;
    world_->at(next->sent + timeout_, [self = weak_from_this()] {
        if (auto const s = self.lock(); s && s->phase_ != phase::stopped)
            s->expire();
    });
}

// Late replies find nobody in their place.
void session::expire()
{
    deadline_armed_ = false;
    auto const epoch = epoch_;
    auto const limit = now() - timeout_;
    for (std::size_t i = 0; epoch == epoch_ && i < pending_.size() && pending_[i].sent <= limit; ++i)
        if (auto* const c = std::exchange(pending_[i].to, nullptr))
            c->on_answer({.sent = pending_[i].sent});
    watch_deadlines();
}

void session::wake_at(core::instant when)
{
    if (when >= alarm_ || phase_ == phase::stopped)
        return;
    alarm_ = when;
    world_->at(when, [self = weak_from_this()] {
        if (auto const s = self.lock(); s && s->phase_ != phase::stopped)
            s->ring();
    });
}

// A call that an earlier alarm has overtaken finds nothing due.
void session::ring()
{
    if (now() < alarm_)
        return;
    alarm_ = core::never;
    events_->on_alarm();
}

}  // namespace holdfast::simulated
