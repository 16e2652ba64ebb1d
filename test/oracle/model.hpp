//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_MODEL_HPP
#define HOLDFAST_TEST_ORACLE_MODEL_HPP

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <holdfast/error.hpp>
#include <holdfast/loss.hpp>

#include "core/clock.hpp"
#include "oracle/locks.hpp"
#include "oracle/model_latch.hpp"
#include "oracle/program.hpp"

namespace holdfast::test::oracle {

// The settings of a program's clients.
struct client_settings {
    core::duration lease = std::chrono::seconds(3);
    core::duration command_timeout = std::chrono::milliseconds(500);
    core::duration poll_interval = std::chrono::seconds(1);
    // The delay of a thread or a server that is not a fault. Zero in the simulator. In real time it is large: rules
    // about exact times are not checked then, and a lease time below it may be lost.
    core::duration tolerance = {};
    // config.hpp: when a node of a cluster redirects an extension or a query, its time begins anew. How long that may
    // take until the last redirect. Or how long replicas may take to acknowledge it.
    core::duration redirects = {};
    // How long replicas may take to acknowledge the grants before an operation and its own.
    core::duration acknowledgements = {};
};

// A promise that was broken.
struct finding {
    std::string check;  // its name; shrinking keeps it
    std::string text;
};

// A lease as its holder observes it. Two durations bound the rest of its validity, because time passes while
// valid_until() is read.
struct lease_view {
    lease_state state = lease_state::empty;
    core::duration left_least{};
    core::duration left_most{};
    std::optional<std::uint64_t> token = {};
    unsigned hold_count = 0;
    std::string_view name = {};
    bool has_owner = false;

    bool is_valid() const noexcept { return state == lease_state::held || state == lease_state::at_risk; }
};

// The results of acquires, of all clients together.
struct counters {
    std::uint64_t acquired = 0, busy = 0, unavailable = 0;
};

// Exclusive or shared use of one thing on a server.
struct claim {
    std::int64_t thing;
    bool shared;
};

// An acquire, from its launch until nothing of it can remain on the server.
struct activity {
    step what;
    lock_design const* design = nullptr;
    std::vector<claim> claims = {};
    core::instant launched = {};
    core::instant over = core::never;
    bool is_held = false;  // its lease was delivered, and is valid as far as the model knows
    core::instant held_since = core::never;
    core::instant held_until = core::never;
    unsigned downgrades = 0;  // under way
};

// How many permits it wants.
inline unsigned weight_of(activity const& a)
{
    return unsigned(a.what.get(field::weight, 1));
}

// A lease that the program has.
struct hold {
    int id = 0;
    int operation = 0;  // the acquire
    core::duration lease{};
    core::duration period{};  // the longest lease of those that share the grant
    core::duration max_hold{};
    bool renewed = false;
    core::instant granted = {};
    core::instant shared_since = {};  // the launch of the first acquire that shares the grant
    core::instant promised = {};      // without a fault it is valid until then at least
    core::instant allowed = {};       // ... and until then at most; a renewed lease may last a lease time from now, too
    bool tainted = false;             // its key may be deleted
    bool is_valid = true;             // at the last observation
    bool is_out_of_sight = false;     // inside an operation that is not launched yet
};

// A lock that stays taken after its release, `at_least`.
struct reservation {
    int operation = 0;  // the acquire
    core::instant until = {};
    bool is_doubtful = false;  // a re-entry into a lease whose key may be deleted
};

// An operation under way.
struct operation {
    int id = 0;
    step what;
    lock_design const* design = nullptr;
    core::instant launched = {};
    std::optional<core::instant> cancelled = {};
    int of_hold = 0;                         // operations on a lease: 0 for an empty one
    lease_state state = lease_state::empty;  // of that lease, at the launch
    bool is_limited = false;                 // by max_hold
    int of_acquire = 0;                      // the acquire of that lease
    std::int64_t runs_in = 0;                // the process that receives the completion
    int enters = 0;                          // the hold of its owner that it re-enters, or 0
    bool was_kept = false;
    bool done = false;
};

// What the public headers promise, as a state machine without a clock: it receives each launch, completion, fault and
// observed lease, and reports the first promise that is broken. It does not depend on the library's implementation.
class model {
public:
    explicit model(client_settings const& s) : settings_(s) {}

    // ---- what happens
    operation& launch(step const&, core::instant);
    void launch_on_lease(operation&, int hold, lease_state);
    void cancel(operation&, core::instant);
    // The end of an acquire. Returns the id of the hold that begins, or 0 if there is none.
    int acquired(operation&, core::instant, error_code, lease_view const&);
    void queried(operation&, core::instant, error_code, std::optional<bool> answer);
    // `answer`: what is left, or whether it was open.
    void latch_ended(operation&, core::instant, error_code, std::int64_t answer);
    void extended(operation&, core::instant, error_code, lease_view const*);
    void ended_watch(operation&, core::instant, error_code, loss, lease_view const*);
    void released(operation&, core::instant, error_code);
    int downgraded(operation&, core::instant, error_code, lease_view const&);
    // The body of with_lock began with a lease, or ended.
    int body_began(operation& o, core::instant now, lease_view const& l) { return begin_hold(o, now, l); }
    void body_ended(int hold, core::instant);
    void with_lock_ended(operation&, core::instant, error_code, bool body_ran);
    // The program gave up the lease: to release(), or to its destructor.
    void gave_up(int hold, core::instant);
    // The lease was moved into an operation that is not launched yet: it is held, but cannot be observed.
    void put_away(int hold);

    // ---- faults
    void disturb(unsigned server, core::instant from, core::instant to, bool is_outage = false);
    void disturb_process(std::int64_t process, core::instant from, core::instant to);
    void heal(core::instant);
    void replace(unsigned server);  // by one that answers, however silent it was
    void deny(core::instant from) { denied_ = std::min(denied_, from); }
    void refuse(core::instant from) { refused_ = std::min(refused_, from); }
    void lose_data(unsigned server, std::string_view key, core::instant from, core::instant to);
    void lose_a_part() { has_lost_a_part_ = true; }  // one of the keys of a lock, which has others
    void plant(lock_design const&, core::instant);   // application data
    void stop(std::int64_t process, unsigned server, core::instant);

    // ---- observations
    // Compares the counters of the clients, at the end.
    void check_counters(counters const&);
    void check(int hold, core::instant, lease_view const&);
    bool is_watch_overdue(operation const&, core::instant) const;
    bool is_disturbed(lock_design const&, std::int64_t process, core::instant from, core::instant to) const;
    bool has_stopped_client() const noexcept { return !stopped_.empty(); }
    bool had_refusals() const noexcept { return std::min(denied_, refused_) != core::never; }
    bool had_foreign_data() const noexcept { return !planted_.empty(); }
    bool has_lost_data() const noexcept { return !losses_.empty(); }
    bool has_lost_a_part() const noexcept { return has_lost_a_part_; }
    bool has_kept_permits() const;     // with at_least
    bool had_faults() const noexcept;  // not only clients that connect
    std::map<int, hold> const& holds() const noexcept { return holds_; }
    hold const* find_hold(int id) const;

    void report(std::string_view check, std::string text);
    std::optional<finding> const& first() const noexcept { return first_; }

private:
    struct interval {
        unsigned server;
        core::instant from, to;
        bool is_outage;
    };
    struct data_loss {
        unsigned server;
        std::string key;  // empty: all
        core::instant from, to;
    };
    // A time to live that is being requested from the server for one hold; other holds may profit from it.
    struct lease_request {
        operation const* by;
        int acquire;
        core::duration lease;
    };

    void require(bool, std::string_view check, operation const&, std::string_view what, error_code = {});
    bool finish(operation&, core::instant, error_code);
    void count(operation const&, error_code, bool acquired);
    void check_deadline(operation const&, core::instant);
    void begin_request(operation const&, int acquire, core::duration lease);
    void end_request(operation const&, core::instant, core::duration later = {});

    void launch_on_latch(operation const&);
    std::string latch_flaw(operation const&, core::instant, std::int64_t answer);

    // ---- how an operation may end
    bool may_fail(operation const&, core::instant, error_code) const;
    bool may_be_given_up(operation const&) const;
    bool may_be_out_of_reach(operation const&, core::instant, error_code) const;
    bool may_end_without_a_round(operation const&, core::instant) const;
    bool may_be_lost(operation const&, core::instant) const;
    bool may_be_of_wrong_type(operation const&, core::instant) const;
    bool may_deadlock(operation const&, core::instant) const;
    bool may_share_its_owner(operation const&, core::instant) const;
    template <class Condition>
    bool meets_own(operation const&, core::instant, Condition) const;
    bool has_valid_options(operation const&, core::instant) const;
    bool may_acquire(operation const&) const;
    bool asks_for_too_many(operation const&) const;
    bool may_extend(operation const&, core::instant) const;
    core::duration time_to_answer(operation const&, core::instant) const;
    bool may_be_busy(operation const&, core::instant) const;
    bool is_in_the_way(activity const& mine, activity const& other) const;
    bool may_lack_permits(operation const&, core::instant, bool outage) const;
    bool has_planted(lock_design const&, core::instant) const;
    bool is_total_outage(operation const&, core::instant) const;

    // ---- the possible holders, and how long they hold
    bool conflicts(activity const&, activity const&) const;
    bool same_owner(activity const&, activity const&) const;
    bool share_an_owner(activity const&, activity const&) const;
    bool loses_data(lock_design const&, core::instant from, core::instant to) const;
    bool is_stopped(operation const&, core::instant) const;
    bool may_be_too_late(operation const&) const;
    bool is_brief(step const&) const;  // its lease is shorter than a thread may be late
    core::duration undo_limit(lock_design const&, bool disturbed) const;
    core::instant gone_by(activity const&, core::instant now, bool disturbed) const;
    void check_identity(hold const&, lease_view const&);
    void check_hold_count(hold const&, core::instant, lease_view const&);
    core::instant begin_of_grant(operation const&) const;
    int begin_hold(operation&, core::instant, lease_view const&);
    int hold_to_enter(activity const&) const;
    void check_reentries(hold const&, core::instant);
    void check_exclusion(hold const&, core::instant);
    void reserve(operation const&, hold const&, core::instant now);
    bool is_reserved(reservation const&, hold const&, core::instant now) const;
    bool may_reenter(activity const&, int operation) const;
    void check_permits(hold const&, core::instant now);
    void check_order(operation const&, lease_view const&);
    // Whether both may hold one grant: re-entries, and readers of one process.
    bool shares_grant(activity const&, activity const&) const;
    // The latest end that the requests under way may give to the hold.
    core::instant requested_until(hold const&, core::instant) const;
    bool may_profit(hold const&, lease_request const&) const;
    // The lease time that counts from its last confirmation: with a peer's watchdog, reads are confirmed repeatedly.
    core::duration confirmed_lease(hold const&, core::duration lease) const;
    void check_bounds(hold&, core::instant, lease_view const&);

    client_settings const settings_;
    std::deque<operation> operations_;  // addresses stay
    std::map<int, activity> activities_;
    std::map<int, hold> holds_;
    std::vector<reservation> reservations_;
    std::map<std::string_view, latch_model> latches_;  // by key
    int last_hold_ = 0;
    std::map<std::int64_t, std::pair<std::uint64_t, step>> greatest_token_;  // by lock; its acquire
    std::set<std::pair<std::string_view, std::uint64_t>> tokens_;            // of semaphores
    std::vector<lease_request> requests_;
    std::vector<int> acquire_of_;  // by hold: its acquire
    // For all holds of a process on a lock: a grant that is handed off keeps the end that it has.
    struct reach {
        core::duration period{};
        core::instant allowed{};
    };
    std::map<std::pair<std::int64_t, std::string_view>, reach> reach_;
    std::vector<interval> disturbed_;
    std::vector<std::pair<std::int64_t, interval>> process_disturbed_;
    std::vector<data_loss> losses_;
    std::vector<std::pair<lock_design const*, core::instant>> planted_;
    std::map<std::pair<std::int64_t, unsigned>, core::instant> stopped_;
    counters reported_;
    bool is_countable_ = true;  // the program observed the end of every acquire
    bool has_lost_a_part_ = false;
    core::instant denied_ = core::never;
    core::instant refused_ = core::never;
    std::optional<finding> first_;
};

}  // namespace holdfast::test::oracle

#endif
