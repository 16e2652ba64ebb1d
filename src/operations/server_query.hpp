//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SERVER_QUERY_HPP
#define HOLDFAST_SERVER_QUERY_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <boost/config.hpp>

#include <holdfast/client.hpp>
#include <holdfast/detail/initiate.hpp>
#include <holdfast/error.hpp>

// Queries that the tool (holdfast list, holdfast doctor) sends to a server. They are not part of the public API.
// They complete within command_timeout; without a result, with unavailable, not_permitted, server_refused,
// not_running or client_stopped.
namespace holdfast::detail {

// The text of INFO of the server, or of the primary of a cluster that has the hash slot.
BOOST_SYMBOL_VISIBLE void start_server_info(handler_at<void(error_code, std::string)>, client_ptr, std::uint16_t slot);

template <token_for<void(error_code, std::string)> Token>
auto query_server_info(client& c, std::uint16_t slot, Token&& token)
{
    return initiate(start_server_info, std::forward<Token>(token), pointer_to(c), slot);
}

// A primary of a cluster, or the only server.
struct primary_part {
    std::uint16_t slot;              // one of its hash slots
    std::vector<std::string> names;  // of the names that were given, those whose slots it has
};

// The primaries that the client knows, also those without any of the names. A name whose slot has no primary is in no
// part. It sends nothing and needs no connection.
BOOST_SYMBOL_VISIBLE void start_primaries(
    handler_at<void(error_code, std::vector<primary_part>)>, client_ptr, std::vector<std::string> names);

template <token_for<void(error_code, std::vector<primary_part>)> Token>
auto query_primaries(client& c, std::vector<std::string> names, Token&& token)
{
    return initiate(start_primaries, std::forward<Token>(token), pointer_to(c), std::move(names));
}

}  // namespace holdfast::detail

#endif
