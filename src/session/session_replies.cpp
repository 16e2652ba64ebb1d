//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What a session does with what it receives: replies, errors and messages. The rest of the class is in session.cpp.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <holdfast/error.hpp>

#include "engine/port/applied.hpp"
#include "session/cluster_slots.hpp"
#include "session/session.hpp"
#include "session/words.hpp"

namespace holdfast::session {
namespace {

// A proxy in front of the server may have lost it, and say so in words of its own: after so many errors in a row that the
// library does not know, another connection may lead to a server that works.
constexpr unsigned most_unknown_errors = 8;

engine::closing const not_understood{errc::protocol, "the client does not understand the server's reply", false};

// Of the commands of the library, only HELLO and CLUSTER SLOTS have such a reply.
bool is_nested(engine::reply const& r)
{
    return std::ranges::any_of(r.items, [](auto const& item) { return item.type == engine::reply::kind::array; });
}

// MOVED and ASK name no host if the node does not know which one its clients use: the other node has the same one.
// Nothing: the error is complete.
std::optional<std::string> with_host(std::string_view error, std::string_view host)
{
    auto const to = core::read_redirect(error);
    if (!to || !to->host.empty())
        return std::nullopt;
    return std::string(error).insert(static_cast<std::size_t>(to->host.data() - error.data()), host);
}

}  // namespace

// The entry is removed before the command is called, because the command may submit others, drop the connection or stop
// the session. In the state `dropping` replies are not read: the connection is not trusted any more. A reply without a
// command, or one that no command can have, means that replies and commands are out of step, so the connection ends.
void session::on_reply(engine::reply const& r)
{
    health_check_.on_read();
    if (state_ == state::greeting)
        return go_on(greeting_.on_reply(r, now()));
    if (state_ != state::open)
        return;
    if (pipeline_.replies().empty())
        return lose(not_understood);
    if (pipeline_.replies().next() == awaited_replies::kind::slots)
        return on_slots(r);
    if (is_nested(r))
        return lose(not_understood);
    auto const first = pipeline_.replies().take();
    if (first.kind != awaited_replies::kind::command)
        return r.text == "PONG" ? pass_ping(first.kind) : on_refused_subscription(r.text);
    unknown_errors_ = 0;
    if (first.to)
        first.to->on_answer({.outcome = engine::outcome::applied, .sent = first.sent, .value = r});
}

// An error without a command concerns the connection, which ends with that reason. Before the connection to a server
// that is not the right one any more is closed, the command gets its outcome, which is a certain refusal. With a
// provider the same holds for NOAUTH: the next connection has fresh credentials.
void session::on_error(std::string_view words)
{
    health_check_.on_read();
    if (state_ == state::greeting)
        return go_on(greeting_.on_error(words));
    if (state_ != state::open)
        return;
    if (pipeline_.replies().empty())
        return lose(classify_refusal(words));
    auto const first = pipeline_.replies().take();
    if (first.kind == awaited_replies::kind::slots)
        return lose({errc::unavailable, words, false});
    if (first.kind != awaited_replies::kind::command)
        return on_refused_subscription(words);
    auto const completed = with_host(words, connector_->host());
    auto answer = engine::answer_to_error(first.sent, completed ? *completed : words);
    if (is_of_cluster(settings_.connects_for))
        note_redirection(answer);
    unknown_errors_ = answer.why == engine::refusal::other ? unknown_errors_ + 1 : 0;
    bool const is_lost = unknown_errors_ == most_unknown_errors || leads_to_another_server(answer.why, server());
    if (answer.why == engine::refusal::read_only)
        connector_->on_read_only();
    if (first.to && state_ != state::stopped)
        first.to->on_answer(answer);
    if (is_open() && is_lost)
        lose({errc::server_refused, words, false});
    else if (authentication_ && is_open() && words.starts_with("NOAUTH"))
        lose_refused({errc::not_permitted, words, true});
}

void session::on_message(std::string_view channel)
{
    health_check_.on_read();
    if (is_open())
        events_->on_message(channel);
}

void session::on_subscribed(std::string_view channel)
{
    health_check_.on_read();
    if (!is_open() || !pipeline_.rows().confirm(subscription_rows::change::subscribe, channel))
        return;
    note_permitted_subscriptions();
    events_->on_subscribed(channel);
}

// The server also ends the subscriptions of a slot that leaves it.
void session::on_unsubscribed(std::string_view channel)
{
    health_check_.on_read();
    if (is_open() && !pipeline_.rows().confirm(subscription_rows::change::unsubscribe, channel))
        events_->on_unsubscribed(channel);
}

// ---- the slots of a cluster

void session::on_slots(engine::reply const& r)
{
    pipeline_.replies().take();
    auto slots = read_cluster_slots(r);
    if (!slots)
        return lose(not_understood);
    if (!knows(*slots))
        return lose(another_cluster);
    take_slots(std::move(*slots));
}

// A host of the URL may belong to another cluster by now: whoever locks there excludes nobody here.
bool session::knows(core::cluster_map const& slots)
{
    auto const a = cluster_.judge(slots, now());
    if (a == known_cluster::answer::replaced)
        log_.warning(
            "no node of the former cluster answers: the client uses the cluster of " + connector_->server_name());
    return a != known_cluster::answer::refused;
}

void session::take_slots(core::cluster_map slots)
{
    connector_->on_slots(slots);
    events_->on_slots(slots);
}

// The event comes before the outcome of the command, which the engine may then send to the other server at once. The
// engine may stop the session in it.
void session::note_redirection(engine::answer& a)
{
    if (a.why == engine::refusal::ask)
        a.why = engine::refusal::asked;
    if (a.why == engine::refusal::not_now && a.words.starts_with("CLUSTERDOWN"))
        return events_->on_doubt(nullptr);
    if (a.why != engine::refusal::moved)
        return;
    a.why = engine::refusal::redirected;
    auto const to = core::read_redirect(a.words);
    events_->on_doubt(to ? &*to : nullptr);
}

void session::pass_ping(awaited_replies::kind k)
{
    using kind = awaited_replies::kind;
    if (k != kind::ping && server().messages == engine::message_form::sharded)
        return end_row();
    if (k == kind::subscribe_guard)
        note_permitted_subscriptions();
}

void session::note_permitted_subscriptions()
{
    if (right_.on_confirmed() == core::subscription_right::change::subscribes_again)
        log_.info("the server permits SUBSCRIBE again");
}

// The engine may stop or drop the session in the event.
void session::end_row()
{
    for (auto const& channel : pipeline_.rows().end_row())
        if (is_open())
            events_->on_unsubscribed(channel);
}

// The error took the place of the PONG, so the PONG would be taken for the reply to the next command, and so on: the
// connection ends. A temporary refusal (BUSY) does not mean that a permission is missing.
void session::on_refused_subscription(std::string_view words)
{
    auto const text = printable(words);
    if (!engine::is_passing(engine::classify(words))) {
        last_words_ = text;  // so that report_closed() does not log it again
        note_denied_subscriptions(text);
    }
    lose({errc::unavailable, words, false});
}

// The error text of a sharded subscription is not known, because it was suppressed.
void session::give_up_subscribing(std::string_view channel)
{
    note_denied_subscriptions("SSUBSCRIBE " + printable(channel) + " was refused");
}

void session::note_denied_subscriptions(std::string const& text)
{
    if (right_.on_refused() == core::subscription_right::change::polls)
        log_.warning("the server does not permit SUBSCRIBE, so waiters poll: " + text);
}

}  // namespace holdfast::session
