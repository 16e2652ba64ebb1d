//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/generator.hpp"

#include <initializer_list>
#include <vector>

#include "oracle/adapters.hpp"
#include "oracle/locks.hpp"
#include "oracle/not_yet.hpp"
#include "support/chance.hpp"

namespace holdfast::test::oracle {
namespace {

using value = std::int64_t;

// Generates one program: a few locks, a few owners, and steps with them. Half of the programs have no fault, so that
// the strict promises are checked; the others have some.
class author {
public:
    explicit author(std::uint64_t seed) : luck_(seed)
    {
        result_.seed = seed;
        result_.is_cluster = seed % 6 == 0;
        result_.is_watched = seed % 6 == 3;
    }

    program write();

private:
    value below(std::uint64_t n) { return value(luck_.below(n)); }
    bool often(double p) { return luck_.happens(p); }
    template <class T>
    T pick(std::initializer_list<T> all)
    {
        return all.begin()[luck_.below(all.size())];
    }

    void choose_locks();
    void add_lock(value l);
    step& add(verb v) { return result_.steps.emplace_back(v); }
    void write_step();
    void write_acquire();
    void write_on_latch();
    void write_on_lease();
    void write_advance();
    void write_move();
    void write_new_address();
    void write_failover();
    void write_fault();
    void write_terms(step&);
    void write_at_least(step&, lock_design const&);
    void name_operation(step&);

    chance luck_;
    program result_;
    std::vector<value> locks_;
    bool has_faults_ = false;
    bool has_composites_ = false;
    bool is_odd_ = false;  // options beyond their bounds
    bool varies_terms_ = false;
    bool keeps_taken_ = false;
    unsigned processes_ = 1;
    unsigned owners_ = 1;
    unsigned slots_ = 3;
    bool same_owner_terms_ = false;
    value lease_ = absent;
    value latch_ = absent;  // that the program uses
    bool removes_latch_ = false;
};

// No server of a red_lock may be a cluster, and none has replicas.
void author::add_lock(value l)
{
    auto const& d = locks[std::size_t(l)];
    if ((result_.is_cluster || result_.is_watched) && is_red(d))
        return;
    has_composites_ = has_composites_ || is_composite(d);
    locks_.push_back(l);
    if (d.kind == kind::read)
        locks_.push_back(l + 1);
    if (d.kind == kind::write)
        locks_.push_back(l - 1);
    if (is_composite(d) && often(0.6))
        locks_.push_back(value(d.members[luck_.below(d.members.size())]));
}

void author::choose_locks()
{
    auto const count = 1 + below(2);
    while (value(locks_.size()) < count)
        add_lock(often(0.6) ? below(13) : often(0.5) ? 32 + below(4) : below(first_latch));
}

program author::write()
{
    has_faults_ = often(0.4);
    is_odd_ = often(0.15);
    varies_terms_ = often(0.6);
    keeps_taken_ = often(0.25);
    processes_ = 1 + unsigned(luck_.below(process_count));
    owners_ = 1 + unsigned(luck_.below(3));
    slots_ = 1 + unsigned(luck_.below(5));
    if (!varies_terms_ && often(0.5))
        lease_ = pick<value>({150, 1'000, 5'000, 60'000});
    choose_locks();
    if (often(0.15))
        latch_ = value(first_latch) + below(locks.size() - first_latch);
    removes_latch_ = latch_ != absent && often(0.4);
    auto const length = 4 + luck_.below(often(0.7) ? 25 : 80);
    while (result_.steps.size() < length)
        write_step();
    return std::move(result_);
}

void author::write_step()
{
    auto const n = luck_.below(100);
    if (latch_ != absent && often(0.4))
        write_on_latch();
    else if (n < 34)
        write_acquire();
    else if (n < 58)
        write_on_lease();
    else if (n < 84)
        write_advance();
    else if (n < 90)
        add(often(0.8)   ? verb::cancel
            : often(0.8) ? verb::launch
                         : verb::forget)
            .set(field::process, below(processes_))
            .set(field::op, below(6))
            .set(field::how, below(3));
    else if (n < 94) {
        auto const v = pick({verb::is_locked, verb::holders, verb::force_release});
        name_operation(
            add(v).set(field::process, below(processes_)).set(field::lock, locks_[luck_.below(locks_.size())]));
    } else if (result_.is_cluster && often(0.4))
        often(0.8) ? write_move() : write_new_address();
    else if (result_.is_watched && often(0.5))
        write_failover();
    else if (has_faults_)
        write_fault();
}

void author::name_operation(step& s)
{
    if (often(0.6))
        s.set(field::op, below(6));
    if (s.what == verb::with_lock)
        return;
    if (s.has(field::op) && often(0.15))
        s.set(field::keep, 1);
    if (often(0.3))
        s.set(field::adapter, 1 + below(adapter_count - 1));
}

void author::write_terms(step& s)
{
    if (!varies_terms_) {
        if (lease_ != absent)
            s.set(field::lease, lease_).set(field::renew, 1);
        return;
    }
    if (often(0.7))
        s.set(field::lease, pick<value>({100, 150, 200, 500, 1'000, 3'000, 10'000, 60'000}));
    if (s.has(field::lease) && often(0.4))
        s.set(field::renew, 1);
    if (often(0.15))
        s.set(field::max_hold, pick<value>({0, 50, 100, 300, 1'000, 5'000}));
    if (!is_odd_)
        return;
    if (often(0.2))
        s.set(field::lease, pick<value>({-1, 0, 1, 99, endless}));
    if (often(0.1))
        s.set(field::max_hold, pick<value>({-1, 1, endless}));
}

void author::write_at_least(step& s, lock_design const& d)
{
    if (keeps_taken_ && can_stay_taken(d.kind) && often(0.4))
        s.set(field::at_least, pick<value>({1, 40, 200, 700, 3'000}));
    if (is_odd_ && d.kind != kind::election && often(0.05))  // campaigns have no such option
        s.set(field::at_least, pick<value>({-1, 0, 50, 12 * 3'600'000 + 1, endless}));
}

void author::write_acquire()
{
    auto const n = luck_.below(10);
    auto& s = add(n < 4 ? verb::acquire : n < 9 ? verb::try_acquire : verb::with_lock);
    auto const lock = locks_[luck_.below(locks_.size())];
    auto const& d = locks[std::size_t(lock)];
    s.set(field::process, below(processes_)).set(field::lock, lock);
    bool const needs_owner = d.kind == kind::reentrant || is_composite(d);
    if (needs_owner || (is_owned_kind(d.kind) && often(0.6)))
        s.set(field::owner, often(0.1) ? process_owner : below(owners_));
    s.set(field::slot, below(slots_));
    write_terms(s);
    write_at_least(s, d);
    if (s.what != verb::acquire && often(0.5))
        s.set(field::wait, pick<value>({0, 1, 5, 20, 50, 100, 300, 1'000, 4'000}));
    if (s.what != verb::acquire && is_odd_ && often(0.1))
        s.set(field::wait, pick<value>({-1, endless}));
    if (d.kind == kind::semaphore && often(0.5))
        s.set(field::weight, is_odd_ ? pick<value>({0, 1, 5, 4'096}) : 1 + below(d.permits));
    if ((d.kind == kind::fair || d.kind == kind::election) && often(0.3))
        s.set(field::priority, is_odd_ ? pick<value>({0, 1, 10, 11}) : 1 + below(10));
    if (s.what == verb::with_lock) {
        s.set(field::us, pick<value>({0, 1'000, 50'000, 700'000}));
        if (often(0.3))
            s.set(field::inner, locks_[luck_.below(locks_.size())]);
    }
    name_operation(s);
    if (often(0.5))
        add(verb::advance).set(field::us, pick<value>({1'000, 4'000, 10'000}));
}

void author::write_on_latch()
{
    auto const n = luck_.below(100);
    auto const v = removes_latch_ && often(0.1) ? verb::remove_latch
                   : n < 20                     ? verb::set_latch
                   : n < 60                     ? verb::count_down
                   : n < 70                     ? verb::count
                                                : verb::await_latch;
    auto& s = add(v).set(field::process, below(processes_)).set(field::lock, latch_);
    if (v == verb::set_latch)
        s.set(field::count, (is_odd_ ? 0 : 1) + below(5));
    if (v == verb::count_down && often(0.4))
        s.set(field::by, (is_odd_ ? 0 : 1) + below(3));
    if (v == verb::await_latch && often(0.5))
        s.set(
            field::wait,
            is_odd_ && often(0.2) ? pick<value>({-1, endless}) : pick<value>({0, 1, 20, 100, 1'000, 4'000}));
    name_operation(s);
    if (often(0.3))
        add(verb::advance).set(field::us, pick<value>({0, 1'000, 4'000, 10'000}));
}

void author::write_on_lease()
{
    auto const n = luck_.below(100);
    auto const v = n < 40   ? verb::release
                   : n < 55 ? verb::drop
                   : n < 72 ? verb::extend
                   : n < 84 ? verb::lost
                   : n < 93 ? verb::move
                            : verb::downgrade;
    auto& s = add(v).set(field::process, below(processes_)).set(field::slot, below(slots_));
    if (v == verb::extend)
        s.set(
            field::by,
            is_odd_ && often(0.3) ? pick<value>({-1, 0, endless}) : pick<value>({1, 100, 1'000, 10'000, 60'000}));
    if (v == verb::move || v == verb::downgrade)
        s.set(field::to, below(slots_));
    if (v == verb::drop || v == verb::move)
        return;
    name_operation(s);
}

void author::write_advance()
{
    auto const n = luck_.below(10);
    add(verb::advance)
        .set(
            field::us,
            n < 2   ? below(2'000)
            : n < 6 ? pick<value>({1'000, 3'000, 10'000, 50'000})
            : n < 9 ? pick<value>({100'000, 200'000, 500'000, 1'000'000})
                    : pick<value>({3'000'000, 10'000'000}));
}

void author::write_move()
{
    add(verb::move_slot)
        .set(field::lock, locks_[luck_.below(locks_.size())])
        .set(field::to, below(3))
        .set(field::us, pick<value>({0, 5'000, 100'000, 1'000'000, 3'000'000}));
}

// As a container that is replaced.
void author::write_new_address()
{
    add(verb::replace_node)
        .set(field::to, below(3))
        .set(field::us, pick<value>({1'000, 100'000, 1'000'000, 4'000'000}))
        .set(field::how, below(2));
}

void author::write_failover()
{
    if (often(0.6))
        add(verb::fail_over).set(field::us, pick<value>({0, 100'000, 1'000'000, 10'000'000}));
    else
        add(verb::hang_sentinel).set(field::to, below(3)).set(field::us, pick<value>({100'000, 1'000'000, 6'000'000}));
}

void author::write_fault()
{
    constexpr verb all[] = {
        verb::pause,
        verb::pause,
        verb::pause,
        verb::disconnect,
        verb::disconnect,
        verb::lose_replies,
        verb::lose_replies,
        verb::restart,
        verb::out_of_memory,
        verb::deny,
        verb::flush_scripts,
        verb::flush_scripts,
        verb::delete_key,
        verb::foreign_key,
        verb::freeze,
        verb::stop,
        verb::shutdown,
        verb::destroy};
    auto const drawn = all[luck_.below(std::size(all))];
    // What is done to one of several servers behind the back of the others says nothing of the library.
    bool const is_of_one = drawn == verb::restart || drawn == verb::delete_key || drawn == verb::foreign_key;
    auto const v = result_.is_watched && is_of_one ? verb::disconnect : drawn;
    bool const ends_client = v == verb::stop || v == verb::shutdown || v == verb::destroy;
    auto& s = add(v);
    if (ends_client || v == verb::freeze)
        s.set(field::process, below(processes_));
    if (v != verb::freeze && v != verb::delete_key && v != verb::foreign_key)
        s.set(field::server, has_composites_ && often(0.5) ? below(server_count) : 0);
    if (v == verb::delete_key || v == verb::foreign_key)
        s.set(field::lock, latch_ != absent && often(0.3) ? latch_ : locks_[luck_.below(locks_.size())]);
    if (v == verb::delete_key && often(0.6))
        s.set(field::how, below(6));
    if (v == verb::deny)
        s.set(field::how, below(10));
    if (result_.is_cluster && s.has(field::server))
        s.set(field::to, below(3));
    if (v == verb::foreign_key || v == verb::restart)
        s.set(field::how, below(3));
    if (v != verb::disconnect && v != verb::flush_scripts && v != verb::stop && v != verb::destroy)
        s.set(field::us, pick<value>({10'000, 80'000, 400'000, 1'000'000, 2'500'000, 6'000'000}));
}

}  // namespace

program generate(std::uint64_t seed)
{
    return without_exclusions(author(seed).write());
}

}  // namespace holdfast::test::oracle
