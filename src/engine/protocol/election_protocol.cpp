//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <array>
#include <chrono>
#include <string>

#include "engine/protocol/fair_protocol.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "scripts_generated.hpp"

namespace holdfast::engine {
namespace {

// The last companion: who leads. After it stands the counter of terms.
std::string const& record_of(lock_spec const& lock) noexcept
{
    return lock.companions.back();
}

// The lock of an election: a fenced fair lock whose scripts also write who leads, and notify the observers.
class election_lock_protocol final : public fair_lock_protocol {
public:
    lock_kind kind() const noexcept override { return lock_kind::election; }

    void acquire(session& to, command& c, attempt const& a, script_form form) const override
    {
        milliseconds_text const ttl(a.lease);
        milliseconds_text const waiter_timeout(a.lock.waiter_timeout);
        auto const priority = priority_of(a);
        auto const& who = *a.lock.candidacy;
        auto const own_priority = std::to_string(who.priority);
        milliseconds_text const settle(who.settle);
        auto keys = keys_of(a.lock);
        keys.push_back(a.lock.counter);
        std::array<std::string_view, 11> const arguments{
            a.token,
            ttl,
            waiter_timeout,
            a.lock.channel,
            priority,
            counter_lifetime,
            who.value,
            who.channel,
            who.leader_channel,
            own_priority,
            settle};
        submit_script(to, c, scripts::election_acquire, form, {keys.data(), keys.size()}, arguments);
    }

    acquire_result classify(answer const& a) const override
    {
        bool const must_settle = a.outcome == outcome::applied && a.value.items.size() == 2;
        if (!must_settle)
            return classify_fenced(a);
        return {
            .what = acquire_result::kind::granted,
            .fence = static_cast<std::uint64_t>(a.value.items[0].integer),
            .settle = std::chrono::milliseconds(a.value.items[1].integer)};
    }

    void release(
        session& to, command& c, lock_spec const& lock, std::string_view token, script_form form) const override
    {
        milliseconds_text const waiter_timeout(lock.waiter_timeout);
        auto const keys = keys_of(lock);
        std::array<std::string_view, 4> const arguments{token, lock.channel, waiter_timeout, lock.candidacy->channel};
        submit_script(to, c, scripts::election_leave, form, {keys.data(), keys.size()}, arguments);
    }

    bool can_stay_taken() const noexcept override { return false; }

    void force_release(session& to, command& c, lock_spec const& lock, script_form form) const override
    {
        milliseconds_text const waiter_timeout(lock.waiter_timeout);
        auto const keys = keys_of(lock);
        std::array<std::string_view, 3> const arguments{lock.channel, waiter_timeout, lock.candidacy->channel};
        submit_script(to, c, scripts::election_force_release, form, {keys.data(), keys.size() - 1}, arguments);
    }

    script const& renewal() const noexcept override { return scripts::election_renew; }
    void add_batch_keys(lock_spec const& lock, std::string_view, lock_protocol::key_list& keys) const override
    {
        keys.insert(keys.end(), {lock.key, record_of(lock)});
    }
};

}  // namespace

lock_protocol const& election_protocol() noexcept
{
    static constexpr election_lock_protocol protocol;
    return protocol;
}

void proclaim(
    session& to, command& c, lock_spec const& lock, std::string_view token, proclamation const& p, script_form form)
{
    std::array<std::string_view, 2> const keys{lock.key, record_of(lock)};
    auto const priority = std::to_string(lock.candidacy->priority);
    std::array<std::string_view, 5> const arguments{token, p.term, p.value, lock.candidacy->channel, priority};
    submit_script(to, c, scripts::election_proclaim, form, keys, arguments);
}

void read_leader(session& to, command& c, lock_spec const& lock, script_form form)
{
    std::array<std::string_view, 2> const keys{lock.key, record_of(lock)};
    submit_script(to, c, scripts::election_state, form, keys, {});
}

void read_next_candidate(session& to, command& c, lock_spec const& lock, script_form form)
{
    std::array<std::string_view, 2> const keys{lock.companions[0], lock.companions[3]};
    submit_script(to, c, scripts::election_next, form, keys, {});
}

}  // namespace holdfast::engine
