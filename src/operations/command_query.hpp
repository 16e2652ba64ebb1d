//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_COMMAND_QUERY_HPP
#define HOLDFAST_COMMAND_QUERY_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <boost/config.hpp>

#include <holdfast/client.hpp>
#include <holdfast/detail/initiate.hpp>
#include <holdfast/error.hpp>

// Any command, with which the tool (holdfast doctor) finds out what a server can do. It is not part of the public API.
namespace holdfast::detail {

// The reply of a server, as a copy. An error is a reply like any other, because it is what the caller looks for.
struct command_reply {
    enum class kind : std::uint8_t { none, error, nil, integer, text, list };

    kind type = kind::none;               // none: no reply in time, or the connection was lost
    std::int64_t integer = 0;             // kind::integer
    std::string text = {};                // kind::text; kind::error: the words of the server
    std::vector<std::string> items = {};  // kind::list; a number in decimal digits
};

BOOST_SYMBOL_VISIBLE void start_command(
    handler_at<void(error_code, command_reply)>, client_ptr, std::uint16_t slot, std::vector<std::string> words);

// Sends the command to the server, or to the primary of a cluster that has the hash slot, and completes without an
// error code whatever the server replies. It completes within command_timeout; without a reply, with unavailable,
// not_running or client_stopped. A reply that contains a list in a list ends the connection. A command without a reply
// of its own (SUBSCRIBE) makes the client take the replies to the following commands for those to the preceding ones,
// so its client must be stopped afterwards.
template <token_for<void(error_code, command_reply)> Token>
auto query_command(client& c, std::uint16_t slot, std::vector<std::string> words, Token&& token)
{
    return initiate(start_command, std::forward<Token>(token), pointer_to(c), slot, std::move(words));
}

}  // namespace holdfast::detail

#endif
