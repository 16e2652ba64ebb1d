//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_REFUSAL_HPP
#define HOLDFAST_ENGINE_REFUSAL_HPP

#include <cstdint>
#include <string_view>

namespace holdfast::engine {

// Why a server replied with an error. Errors to which the client reacts in the same way are one value.
enum class refusal : std::uint8_t {
    none,
    no_script,         // NOSCRIPT: not applied; to send the text is a new decision (rule 7)
    wrong_type,        // WRONGTYPE: the name belongs to a key that is not a lock
    not_permitted,     // NOPERM, NOAUTH, WRONGPASS, "The user executing the script can't ..."
    read_only,         // READONLY: the master was demoted to a replica; the session closes the connection
    not_now,           // BUSY, LOADING, MASTERDOWN, CLUSTERDOWN: the server accepts no command for a while
    out_of_resources,  // OOM, MISCONF, NOREPLICAS: the server accepts no write for a while
    moved,             // MOVED: not applied; the hash slot of the key belongs to another server of the cluster
    redirected,        // MOVED, to a client of a cluster: not applied; the client has learned of the other server
    ask,               // ASK: not applied; the hash slot is being moved, and the key is at the other server already
    asked,             // ASK, to a client of a cluster, which may send the command to the other server
    try_again,         // TRYAGAIN: not applied; the hash slot is being moved, and the keys are not all at one server
    half_applied,      // "... access a non local key ...": the hash slot is being moved, and the script
                       // found a key gone after it may have written: the outcome is unknown
    unsupported,       // CROSSSLOT, an unknown command, an error in a script: the server cannot execute it
    other,             // an error that the library does not know, such as one of a proxy
};

// Whether the reason is a temporary state of the server and not the command: the server would refuse any other command,
// or any other write, too. The client then repeats the command later; splitting a batch would not help.
constexpr bool is_passing(refusal r) noexcept
{
    return r == refusal::not_now || r == refusal::read_only || r == refusal::out_of_resources
           || r == refusal::try_again;
}

// Whether the server refused the command, with all its keys, because of their hash slot. Splitting a batch, whose keys
// are in one slot, would not help.
constexpr bool is_of_slot(refusal r) noexcept
{
    return r == refusal::moved || r == refusal::redirected || r == refusal::ask;
}

// Whether a part of a batch may be accepted, here or at the other server, because its hash slot is being moved key by
// key.
constexpr bool is_of_open_slot(refusal r) noexcept
{
    return r == refusal::asked || r == refusal::try_again;
}

// Classifies an error reply by its text. Redis has no error numbers: most errors begin with a word in capitals. Some
// proxies write "ERR " before it.
refusal classify(std::string_view server_words) noexcept;

}  // namespace holdfast::engine

#endif
