//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/commands_without_reply.hpp"

#include <array>

#include <boost/redis/resp3/serialization.hpp>

#include "session/connection.hpp"

namespace holdfast::redis {
namespace {

void add_command(std::string& payload, std::span<std::string_view const> words)
{
    namespace resp3 = boost::redis::resp3;
    resp3::add_header(payload, resp3::type::array, words.size());
    for (auto const word : words)
        resp3::boost_redis_to_bulk(payload, word);
}

}  // namespace

// The argument itself is PONG, so that the reply to PING is the usual one.
void boost_redis_to_bulk(std::string& payload, commands_without_reply const& c)
{
    boost::redis::resp3::boost_redis_to_bulk(payload, std::string_view("PONG"));
    for (auto const& argument : c.arguments) {
        add_command(payload, session::skip_words);
        add_command(payload, std::array<std::string_view, 2>{c.verb, argument});
    }
}

}  // namespace holdfast::redis
