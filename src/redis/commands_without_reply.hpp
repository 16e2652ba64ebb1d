//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_COMMANDS_WITHOUT_REPLY_HPP
#define HOLDFAST_REDIS_COMMANDS_WITHOUT_REPLY_HPP

#include <span>
#include <string>
#include <string_view>

namespace holdfast::redis {

// The last argument of a command in a boost::redis::request, and commands behind it whose replies CLIENT REPLY SKIP
// suppresses. Boost.Redis expects a reply to each command that it adds itself, but for SUBSCRIBE and its like; it does
// not know SSUBSCRIBE. So these commands are a part of the bytes of that argument, of which it counts nothing.
struct commands_without_reply {
    std::string_view verb;
    std::span<std::string const> arguments;  // one command for each
};

// Boost.Redis finds it by argument-dependent lookup.
void boost_redis_to_bulk(std::string& payload, commands_without_reply const&);

}  // namespace holdfast::redis

#endif
