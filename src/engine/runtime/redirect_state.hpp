//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_REDIRECT_STATE_HPP
#define HOLDFAST_ENGINE_REDIRECT_STATE_HPP

#include <cstdint>

namespace holdfast::engine {

// Whether MOVED or a map decides which node is the primary of one hash slot. Each may be out of date. What a node says
// of itself in MOVED is newer than a map of another node that names it, so the redirect stands against that map. While
// a slot changes hands, two nodes may name each other: the client follows the first MOVED, and then waits for a map.
// Otherwise it would send commands to the two in turn without a pause.
enum class redirect_state : std::uint8_t {
    mapped,      // the last map decides, or nothing is known
    redirected,  // the primary is the node that MOVED has named
    upheld,      // the same, and a map has named the node that sent the MOVED: the seed is out of date
    disputed,    // the same, but that node may not have the slot: the next map decides
};

enum class redirect_event : std::uint8_t {
    moved,       // the primary answered MOVED
    map_sender,  // a map names the node that sent the MOVED which the client has followed
    map_other,   // a map names another node, or the present primary
    doubted,     // the connection to the primary is lost, or it is silent, or it said CLUSTERDOWN
};

// | state      | moved            | map_sender   | map_other    | doubted  |
// |------------|------------------|--------------|--------------|----------|
// | mapped     | redirected, take | mapped, take | mapped, take |          |
// | redirected | disputed         | upheld       | mapped, take | disputed |
// | upheld     | redirected, take | upheld       | mapped, take | disputed |
// | disputed   |                  | mapped, take | mapped, take |          |
//
// Where the table is empty, the state stays. "take": the node that the event names is the primary from now on.
struct redirect_transition {
    redirect_state next;
    bool takes = false;
    bool operator==(redirect_transition const&) const = default;
};

constexpr redirect_transition next(redirect_state s, redirect_event e) noexcept
{
    using enum redirect_state;
    bool const stands = s == redirected || s == upheld;
    switch (e) {
        case redirect_event::moved:
            if (s == mapped || s == upheld)
                return {redirected, true};
            return {disputed};
        case redirect_event::map_sender:
            return stands ? redirect_transition{upheld} : redirect_transition{mapped, true};
        case redirect_event::map_other: return {mapped, true};
        case redirect_event::doubted: break;
    }
    return {stands ? disputed : s};
}

}  // namespace holdfast::engine

#endif
