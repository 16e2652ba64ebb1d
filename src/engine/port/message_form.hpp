//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_MESSAGE_FORM_HPP
#define HOLDFAST_ENGINE_MESSAGE_FORM_HPP

#include <cstdint>

namespace holdfast::engine {

// How the clients of a server publish and subscribe. All of them must do it in the same way: a message of one form does
// not reach a subscriber of the other.
enum class message_form : std::uint8_t {
    plain,    // PUBLISH and SUBSCRIBE: a cluster passes each message to all of its nodes
    sharded,  // SPUBLISH and SSUBSCRIBE, in a cluster from Redis 7.0 on: the primary of the channel's slot alone has it
};

}  // namespace holdfast::engine

#endif
