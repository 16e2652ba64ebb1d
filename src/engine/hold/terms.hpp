//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_TERMS_HPP
#define HOLDFAST_ENGINE_TERMS_HPP

#include <algorithm>
#include <cstdint>

#include "core/clock.hpp"

// The terms of a grant: pure functions that compute, from what its holds request, when each of them counts from, and
// what the server confirmed, the lease time of the next renewal, whether to renew, and the end of each hold. Acquire,
// re-entry, extension, renewal, hand-off and release use them, so that lease times are compared in one place only.
//
// A grant may have several holds: those of readers that share it, and those of one owner that entered it again. Each
// hold has terms of its own. Its end moves only by its own extension, never by another hold of the grant. The server
// keeps one time to live for all of them, which no command shortens.
namespace holdfast::engine {

// What one acquire requests.
struct terms {
    core::duration lease{};
    core::duration max_hold{};  // zero: no limit
    bool renewed = true;
    std::uint8_t priority = 5;  // 1 to 10; of a fair lock
    bool is_part = false;       // of the acquire of a composite lock: not an acquire of a user
    core::duration at_least{};  // the lock stays taken for so long from the grant on; zero: no longer than it is held

    // The time to live that a grant for them is made with: a crash of the process must not end it before `at_least`.
    core::duration time_to_live() const noexcept { return std::max(lease, at_least); }
};

// One hold of a grant, and when it ends.
class hold {
public:
    // `counted_from`: the instant from which a fixed lease time counts: the send of the command that confirmed it (rule
    // 1), or the re-entry if nothing had to be sent.
    hold(terms const&, core::instant began, core::instant counted_from) noexcept;

    terms const& conditions() const noexcept { return terms_; }
    core::instant began() const noexcept { return began_; }
    // Until when the lock stays taken, also after the hold has ended; min: it need not. Counted from the receipt of the
    // grant, which the server made before: so never too short.
    core::instant kept_until() const noexcept
    {
        return terms_.at_least > core::duration::zero() ? began_ + terms_.at_least : core::instant::min();
    }

    // When its own terms end it, whatever the server confirms: by its fixed lease time or max_hold; never: they do not.
    core::instant own_end() const noexcept { return std::min(fixed_until_, capped_at()); }
    core::instant valid_until(core::instant grant_end) const noexcept { return std::min(grant_end, own_end()); }
    // The loss is reported this long before the validity ends. `trusted`: how long one confirmation counts at most.
    core::duration stop_margin(core::duration trusted) const noexcept;
    // Whether validity that ends then ends by max_hold, not because the lease time is over.
    bool is_capped_at(core::instant end) const noexcept { return end == capped_at(); }

    // Whether max_hold permits an extension by that time.
    bool may_last(core::instant now, core::duration by) const noexcept;
    // An extension of this hold was confirmed: a command that was sent then set that lease time.
    void extend(core::instant sent, core::duration by) noexcept;

private:
    // `never` if it has no max_hold. Computed each time, because many holds may be kept.
    core::instant capped_at() const noexcept;

    terms terms_;
    core::instant began_;
    core::instant fixed_until_;  // never: it is renewed
};

// What all holds of a grant together require of the server.
struct demand {
    core::duration requested{};  // the lease time that the next renewal sets; zero: the time to live need not grow
    core::duration renewed{};    // the longest lease time of a renewed hold; zero: there is none
    core::duration longest{};    // of all holds

    // A hold that its handler has not taken up is not renewed, because its handler may never run.
    void add(hold const&, bool is_taken_up) noexcept;

    bool is_renewed() const noexcept { return renewed > core::duration::zero(); }
    // The lease time by which renewals are paced.
    core::duration pace() const noexcept { return is_renewed() ? renewed : longest; }
    // The lease time that an extension of that hold by so much sets.
    core::duration extension(hold const&, core::duration by) const noexcept;
};

// Whether a re-entry into a grant that is confirmed until `grant_end` has to wait for an extension. A renewed re-entry
// does not, if the grant is renewed for at least its lease time already, unless the lock must stay taken for longer
// than that is confirmed.
bool needs_extension(terms const& wanted, core::instant now, core::instant grant_end, demand const& present) noexcept;

// How long a grant with that time to live can serve a hold with these terms: a fixed lease ends earlier than the time
// for which the lock stays taken.
core::duration usable(terms const&, core::duration time_to_live) noexcept;

// Whether the terms let a grant pass from its last hold to the next contender without a round trip: both are renewed,
// neither has `at_least`, the next one requires no longer lease time, and at least half of it remains.
bool may_pass_on(terms const& from, terms const& to, core::duration remaining) noexcept;

}  // namespace holdfast::engine

#endif
