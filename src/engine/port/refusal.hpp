//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_REFUSAL_HPP
#define HOLDFAST_ENGINE_REFUSAL_HPP

#include <cstdint>
#include <string_view>

namespace holdfast::engine {

// Why a server answered a command with an error, as far as it changes what we do.
enum class refusal : std::uint8_t {
    none,
    no_script,         // NOSCRIPT: not applied; sending the text is a new decision
    wrong_type,        // WRONGTYPE: a foreign key stands under our name
    not_permitted,     // NOPERM, NOAUTH, WRONGPASS, "The user executing the script can't ..."
    read_only,         // READONLY: a demoted master; the session closes the connection
    not_now,           // BUSY, LOADING, MASTERDOWN, TRYAGAIN, CLUSTERDOWN: waiting cures it
    out_of_resources,  // OOM, MISCONF, NOREPLICAS: the server will not write
    other,             // anything else: a server that is not what we think it is
};

// The reason lies in the state of the server, not in the command: it would refuse any other now, and time cures it.
constexpr bool is_passing(refusal r) noexcept
{
    return r == refusal::not_now || r == refusal::read_only || r == refusal::out_of_resources;
}

// Classifies the text of an error reply.
refusal classify(std::string_view server_words) noexcept;

}  // namespace holdfast::engine

#endif
