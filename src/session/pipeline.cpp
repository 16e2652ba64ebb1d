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

void pipeline::subscribe(std::string_view verb, std::string_view channel)
{
    if (verb != row_verb_)
        send_row();
    row_verb_ = verb;
    row_channels_.emplace_back(channel);
}

// The PING is the guard (rule 10). It follows directly, so that an error in place of the subscription meets the guard
// and not a command.
void pipeline::send_row()
{
    if (row_channels_.empty())
        return;
    std::vector<std::string_view> words{row_verb_};
    words.insert(words.end(), row_channels_.begin(), row_channels_.end());
    send(words);
    send(std::array<std::string_view, 1>{"PING"});
    replies_.add_guard(row_verb_ == "SUBSCRIBE");
    row_channels_.clear();
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
