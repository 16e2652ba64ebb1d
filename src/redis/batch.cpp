//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/batch.hpp"

#include <utility>

#include <boost/asio/error.hpp>

#include <holdfast/error.hpp>

#include "redis/words.hpp"

namespace holdfast::redis {

boost::redis::request::config batch::request_config()
{
    // Nothing may wait in Boost.Redis' queue for another connection.
    boost::redis::request::config c;
    c.cancel_on_connection_lost = true;
    c.cancel_if_not_connected = true;
    c.cancel_if_unresponded = true;
    return c;
}

void batch::add(engine::command& c, std::span<std::string_view const> words)
{
    push_subscriptions();
    if (words.size() == 1)
        request_.push(words.front());
    else
        request_.push_range(words.front(), words.begin() + 1, words.end());
    slots_.push_back({&c, false});
}

void batch::add_subscription(std::string_view verb, std::string_view channel)
{
    if (verb != verb_)
        push_subscriptions();
    verb_ = verb;
    channels_.emplace_back(channel);
}

void batch::push_subscriptions()
{
    if (channels_.empty())
        return;
    // push(), not subscribe(): Boost.Redis must not restore it by itself, unguarded.
    request_.push_range(verb_, channels_);
    request_.push("PING");
    slots_.push_back({nullptr, true});
    subscribes_ = subscribes_ || verb_ == "SUBSCRIBE";
    channels_.clear();
}

void batch::seal(core::instant sent, core::instant deadline)
{
    push_subscriptions();
    sent_ = sent;
    deadline_ = deadline;
}

boost::redis::any_adapter batch::adapter()
{
    using event = boost::redis::any_adapter::parse_event;
    return boost::redis::any_adapter::impl_t([this](event e, auto const& node, auto& ec) {
        if (e == event::node)
            read(node, ec);
    });
}

void batch::read(boost::redis::resp3::node_view const& node, boost::system::error_code& ec)
{
    if (distrusted_) {
        ec = boost::asio::error::operation_aborted;
        return;
    }
    auto const p = reader_.take(node);
    if (p == reply_reader::progress::more)
        return;
    if (p == reply_reader::progress::malformed)
        fail(fault::kind::malformed, ec);
    else if (slots_[next_].is_guard)
        read_guard(p, ec);
    else
        read_answer(p, ec);
}

void batch::read_guard(reply_reader::progress p, boost::system::error_code& ec)
{
    if (p == reply_reader::progress::complete && reader_.value().text == "PONG")
        ++next_;
    else
        fail(fault::kind::refused_subscription, ec);
}

void batch::read_answer(reply_reader::progress p, boost::system::error_code& ec)
{
    if (p == reply_reader::progress::complete) {
        answer_next({.outcome = engine::outcome::applied, .sent = sent_, .value = reader_.value()});
        return;
    }
    auto const words = without_arguments(reader_.words());
    auto const why = engine::classify(words);
    if (why == engine::refusal::read_only)
        fail(fault::kind::read_only, ec);
    answer_next({.outcome = engine::outcome::refused, .sent = sent_, .why = why, .words = words});
}

void batch::fail(fault::kind what, boost::system::error_code& ec)
{
    fault_.what = what;
    fault_.words = without_arguments(reader_.words());
    fault_.why = engine::classify(fault_.words);
    ec = errc::protocol;
}

void batch::answer_next(engine::answer const& a)
{
    // Moved on first: the command may make the session forget or give up this very batch.
    auto* const waiting = std::exchange(slots_[next_++].waiting, nullptr);
    if (waiting != nullptr)
        waiting->on_answer(a);
}

void batch::give_up()
{
    given_up_ = true;
    for (std::size_t i = next_; i < slots_.size(); ++i)
        if (auto* const waiting = std::exchange(slots_[i].waiting, nullptr))
            waiting->on_answer({.outcome = engine::outcome::unknown, .sent = sent_});
}

void batch::forget() noexcept
{
    for (auto& s : slots_)
        s.waiting = nullptr;
}

void batch::clear() noexcept
{
    request_.clear();
    slots_.clear();
    channels_.clear();
    next_ = 0;
    subscribes_ = false;
    given_up_ = false;
    distrusted_ = false;
}

}  // namespace holdfast::redis
