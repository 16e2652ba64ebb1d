//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/pipeline.hpp"

#include <array>
#include <cassert>
#include <utility>

namespace holdfast::session {

// A reply that is still awaited would be taken from the new connection.
void pipeline::begin(std::shared_ptr<connection> c)
{
    assert(replies_.empty() && !connection_);
    connection_ = std::move(c);
}

void pipeline::end() noexcept
{
    row_channels_.clear();
    rows_.clear();
    if (auto const last = std::move(connection_))
        last->close();
}

void pipeline::send(std::span<std::string_view const> words)
{
    connection_->send(words);
}

// A waiter must be subscribed when the server executes its attempt, or it would miss a release in between (rule 13).
void pipeline::submit(engine::command& c, std::span<std::string_view const> words)
{
    send_row();
    send(words);
    replies_.add(c);
}

void pipeline::request_slots()
{
    send_row();
    send(slots_words);
    replies_.add_slots();
}

void pipeline::ping()
{
    send_row();
    send(std::array<std::string_view, 1>{"PING"});
    replies_.add_health_check();
}

void pipeline::change(subscription_rows::change c, std::string_view channel)
{
    if (c != row_change_)
        send_row();
    row_change_ = c;
    row_channels_.emplace_back(channel);
}

// The PING is the guard (rule 10).
void pipeline::send_row()
{
    if (row_channels_.empty())
        return;
    form_ == engine::message_form::plain ? send_plain_row() : send_sharded_row();
    send(std::array<std::string_view, 1>{"PING"});
    replies_.add_guard(row_change_ == subscription_rows::change::subscribe);
    row_channels_.clear();
}

// The guard follows directly, so that an error in place of the subscription meets the guard and not a command.
void pipeline::send_plain_row()
{
    bool const subscribes = row_change_ == subscription_rows::change::subscribe;
    std::vector<std::string_view> words{subscribes ? "SUBSCRIBE" : "UNSUBSCRIBE"};
    words.insert(words.end(), row_channels_.begin(), row_channels_.end());
    send(words);
}

// Each channel is a command of its own, because the channels of one command must have one slot. An error is suppressed:
// the server refuses a channel whose slot has left it, and that must not cost the connection. The guard shows which
// channels were not confirmed, and meets the error if the access rules deny CLIENT REPLY.
void pipeline::send_sharded_row()
{
    bool const subscribes = row_change_ == subscription_rows::change::subscribe;
    connection_->send_without_reply(subscribes ? "SSUBSCRIBE" : "SUNSUBSCRIBE", row_channels_);
    replies_.add_ping();
    rows_.add(row_change_, std::move(row_channels_));
}

void pipeline::end_turn(core::instant now)
{
    send_row();
    replies_.on_flush(now);
}

// A copy of the pointer, because the end of the connection resets the member.
void pipeline::write()
{
    auto const c = connection_;
    c->flush();
}

}  // namespace holdfast::session
