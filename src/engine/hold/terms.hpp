//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_TERMS_HPP
#define HOLDFAST_ENGINE_TERMS_HPP

#include <algorithm>
#include <cstdint>

#include "core/clock.hpp"

// The terms on which a grant is held: pure functions from what its holds want, since when each of them counts, and what
// the server confirmed, to the lease time to ask for next, whether to renew, and the end of each hold. Acquire,
// re-entry, extension, renewal, hand-off and release ask here; nobody else compares lease times.
//
// A grant may have several holds: those of readers who share it, and those of one owner that entered it again. Each
// hold has terms of its own. Its end moves only by its own extension, never by another hold of the grant. The server
// keeps one time to live for all of them, which no command ever shortens.
namespace holdfast::engine {

// What one acquire asks for.
struct terms {
    core::duration lease{};
    core::duration max_hold{};  // zero: no limit
    bool renewed = true;
    std::uint8_t priority = 5;  // 1 to 10; of a fair lock
    bool is_part = false;       // of the acquire of a composite lock: users did not ask for it
};

// One hold of a grant, and when it ends.
class hold {
public:
    // `counted_from`: the instant from which a fixed lease time counts. That is the send of the command that confirmed
    // it, or the re-entry if nothing had to be sent.
    hold(terms const&, core::instant began, core::instant counted_from) noexcept;

    terms const& conditions() const noexcept { return terms_; }
    core::instant began() const noexcept { return began_; }

    // Where its own terms end it, whatever the server confirms: its fixed lease time or max_hold; never: nowhere.
    core::instant own_end() const noexcept { return std::min(fixed_until_, capped_at()); }
    core::instant valid_until(core::instant grant_end) const noexcept { return std::min(grant_end, own_end()); }
    // The holder learns of the loss so long before its validity ends. `trusted`: how long one confirmation counts at
    // most.
    core::duration stop_margin(core::duration trusted) const noexcept;
    // Why validity that ends then ends: true by max_hold, false because the lease time was used up.
    bool is_capped_at(core::instant end) const noexcept { return end == capped_at(); }

    // Whether max_hold leaves room for an extension by so much.
    bool may_last(core::instant now, core::duration by) const noexcept;
    // An extension of this hold was confirmed: a command sent then set that lease time.
    void extend(core::instant sent, core::duration by) noexcept;

private:
    // Never: it has no max_hold. Computed each time, because many holds may be kept.
    core::instant capped_at() const noexcept;

    terms terms_;
    core::instant began_;
    core::instant fixed_until_;  // never: it is renewed
};

// What all holds of a grant together ask of the server.
struct demand {
    core::duration ask{};      // the lease time that the next renewal sets; zero: nothing is to live longer
    core::duration renewed{};  // the longest lease time of a renewed hold; zero: there is none
    core::duration longest{};  // of all holds

    // A hold that its handler has not taken up is not renewed: nobody may ever look at it.
    void add(hold const&, bool is_taken_up) noexcept;

    bool is_renewed() const noexcept { return renewed > core::duration::zero(); }
    // The lease time whose fractions pace the renewals.
    core::duration pace() const noexcept { return is_renewed() ? renewed : longest; }
    // The lease time that an extension of that hold by so much sets.
    core::duration extension(hold const&, core::duration by) const noexcept;
};

// Whether a re-entry into a grant that is confirmed until `grant_end` has to wait for an extension. A renewed re-entry
// whose lease time is renewed already has not.
bool needs_extension(terms const& asked, core::instant now, core::instant grant_end, demand const& present) noexcept;

// Whether the terms let a grant pass from its last hold to the next contender without a round trip: both are renewed,
// the next one asks for no longer lease time, and at least half of it remains.
bool may_pass_on(terms const& from, terms const& to, core::duration remaining) noexcept;

}  // namespace holdfast::engine

#endif
