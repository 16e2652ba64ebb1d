//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/connection.hpp"

#include <array>

namespace holdfast::session {

// For transports that do not count replies.
void connection::send_without_reply(std::string_view verb, std::span<std::string const> arguments)
{
    send(std::array<std::string_view, 1>{"PING"});
    for (auto const& a : arguments) {
        send(skip_words);
        send(std::array<std::string_view, 2>{verb, a});
    }
}

}  // namespace holdfast::session
