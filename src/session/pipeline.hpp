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
#include "engine/port/message_form.hpp"
#include "session/awaited_replies.hpp"
#include "session/connection.hpp"
#include "session/subscription_rows.hpp"

namespace holdfast::session {

// The question which primary has which hash slots.
inline constexpr std::array<std::string_view, 2> slots_words{"CLUSTER", "SLOTS"};

// The commands of one connection after the other: sends them in order, with a guard behind each change of subscriptions
// (rule 10), and knows which of them have no reply yet.
class pipeline {
public:
    // A new connection. Precondition: end() was called for the last one, and no reply is awaited.
    void begin(std::shared_ptr<connection>);
    // The greeting has shown how the server's clients subscribe.
    void use(engine::message_form f) noexcept { form_ = f; }
    // Closes the connection; no reply follows. The commands without a reply stay in replies().
    void end() noexcept;

    // Sends a command of the greeting, which counts its replies itself.
    void send(std::span<std::string_view const> words);
    // Sends a command, behind the subscriptions that were requested before it.
    void submit(engine::command&, std::span<std::string_view const> words);
    // CLUSTER SLOTS.
    void request_slots();
    // The PING of a health check.
    void ping();
    // Requests a change of subscriptions. Changes of one kind in a row are sent with one guard.
    void change(subscription_rows::change, std::string_view channel);

    // Ends a turn: sends the subscriptions that were requested last, and notes when the commands of this turn were
    // sent.
    void end_turn(core::instant now);
    // Writes what was sent. The replies may arrive within the call (memory://) and end the connection, so no caller
    // uses the connection after it.
    void write();

    awaited_replies& replies() noexcept { return replies_; }
    // The rows that were sent as sharded subscriptions, whose guards are awaited.
    subscription_rows& rows() noexcept { return rows_; }

private:
    void send_row();
    void send_plain_row();
    void send_sharded_row();

    std::shared_ptr<connection> connection_;  // null: none
    awaited_replies replies_;
    engine::message_form form_ = engine::message_form::plain;
    subscription_rows rows_;
    subscription_rows::change row_change_{};  // of the row that is not sent yet ...
    std::vector<std::string> row_channels_;   // ... for these channels
};

}  // namespace holdfast::session

#endif
