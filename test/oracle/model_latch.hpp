//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_MODEL_LATCH_HPP
#define HOLDFAST_TEST_ORACLE_MODEL_LATCH_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "core/clock.hpp"

namespace holdfast::test::oracle {

// What latch.hpp promises of one latch. Each operation takes effect at some instant between its launch and its end, or
// not at all, or later, if it ended with an error: so the count has a least and a greatest possible value. A round
// begins when the latch is set; the first one begins with an open latch.
class latch_model {
public:
    // An operation on the latch: from its launch until its end; `never` while it is under way.
    struct interval {
        core::instant from, to;
    };

    void launched_set(int operation, core::instant);
    void launched_count_down(int operation, std::int64_t by, core::instant);

    // The ends of operations. Return the promise that is broken; empty: none.
    std::string set(int operation, interval, std::int64_t count, bool was_open);
    std::string counted_down(int operation, interval, std::int64_t left);
    std::string read(interval, std::int64_t count) const;
    std::string opened(interval) const;
    // The wait was over. `hears`: how long it may take a waiter to hear of the opening.
    std::string still_closed(interval, core::duration hears) const;
    // It ended with an error, and takes no effect. With any other error, it may take effect later.
    void refused(int operation);

    // Its data was lost until then: the count is unknown until the latch is set the next time.
    void forget(core::instant until);
    // A removal takes effect at any time from now on, and the count is unknown until a set after its end.
    void launched_remove(int operation);
    // It ended. `took_effect`: the latch was closed until then.
    void removed(int operation, interval, bool took_effect);
    bool may_be_removed() const noexcept { return may_be_removed_; }

private:
    struct change {
        int operation;
        std::int64_t by;  // of a count_down
        interval when;
        bool is_certain;  // it ended with success
    };

    // The least and the greatest count that an operation of that interval can have read.
    std::int64_t least(interval) const;
    std::int64_t most(interval) const;
    // Whether the interval lies in the present round, and the count is known.
    bool is_in_round(interval i) const { return is_known_ && i.from >= began_; }
    // Whether another set may have changed it since the round began.
    bool may_be_set_again(core::instant until) const;
    std::string check(interval, std::int64_t count, std::int64_t own) const;

    bool is_known_ = true;
    bool may_be_removed_ = false;
    core::instant forgotten_until_ = core::instant::min();
    std::int64_t count_ = 0;
    core::instant began_ = core::instant::min();
    std::vector<change> downs_;
    std::vector<change> sets_;   // that may take effect: under way, or ended with an error
    std::vector<int> removals_;  // the same

    core::instant last_set_ = core::instant::min();  // when one was launched, or ended
    // No wait that began since then has found the latch open: it was closed until its removal, and was not set again.
    // never: unknown.
    core::instant called_off_since_ = core::never;
    core::instant closed_since_ = core::never;  // since when that holds if the removal under way takes effect
};

}  // namespace holdfast::test::oracle

#endif
