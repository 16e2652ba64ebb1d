//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_PIPELINE_HPP
#define HOLDFAST_SESSION_PIPELINE_HPP

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "engine/port/command.hpp"
#include "session/awaited_replies.hpp"
#include "session/connection.hpp"

namespace holdfast::session {

// The question which primary has which hash slots.
inline constexpr std::array<std::string_view, 2> slots_words{"CLUSTER", "SLOTS"};

// The commands of one connection after the other: sends them in order, with a guard behind each change of subscriptions
// (rule 10), and knows which of them have no reply yet.
class pipeline {
public:
    // A new connection. Precondition: end() was called for the last one, and no reply is awaited.
    void begin(std::shared_ptr<connection>);
    // Closes the connection; no reply follows. The commands without a reply stay in replies().
    void end() noexcept;

    // Sends a command of the greeting, which counts its replies itself.
    void send(std::span<std::string_view const> words);
    // Sends a command, behind the subscriptions that were requested before it.
    void submit(engine::command&, std::span<std::string_view const> words);
    // CLUSTER SLOTS.
    void request_slots();
    // SUBSCRIBE or UNSUBSCRIBE for a channel. Channels of one kind in a row are sent as one command with one guard.
    void subscribe(std::string_view verb, std::string_view channel);

    // Ends a turn: sends the subscriptions that were requested last, and notes when the commands of this turn were sent.
    void end_turn(core::instant now);
    // Writes what was sent. The replies may arrive within the call (memory://) and end the connection, so no caller uses
    // the connection after it.
    void write();

    awaited_replies& replies() noexcept { return replies_; }

private:
    void send_row();

    std::shared_ptr<connection> connection_;  // null: none
    awaited_replies replies_;
    std::string_view row_verb_;              // SUBSCRIBE or UNSUBSCRIBE ...
    std::vector<std::string> row_channels_;  // ... for these channels, not sent yet
};

}  // namespace holdfast::session

#endif
