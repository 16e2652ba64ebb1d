//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <system_error>
#include <tuple>

#include <boost/container/small_vector.hpp>

#include <holdfast/error.hpp>

#include "core/bounds.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "scripts_generated.hpp"

namespace holdfast::engine {
namespace {

// A semaphore expires a day after its last grant or renewal, in ms, so that unused semaphores do not accumulate.
constexpr std::string_view semaphore_lifetime = "86400000";

// In place of a time in a reply: there are fewer permits than the attempt asks for.
constexpr std::int64_t never_enough = -2;

// The counter and the timeouts.
std::array<std::string_view, 2> permit_keys_of(lock_spec const& lock) noexcept
{
    return {lock.key, lock.companions[0]};
}

// With the clients that wait; not of a fair semaphore.
std::array<std::string_view, 3> keys_of(lock_spec const& lock) noexcept
{
    return {lock.key, lock.companions[0], lock.companions[1]};
}

using all_keys = boost::container::small_vector<std::string_view, 4>;

// All keys, in the order of KEYS in the scripts.
all_keys all_keys_of(lock_spec const& lock)
{
    all_keys keys{lock.key};
    keys.insert(keys.end(), lock.companions.begin(), lock.companions.end());
    return keys;
}

// With those of the waiters, which the script notifies.
all_keys keys_to_notify(lock_spec const& lock)
{
    auto keys = all_keys_of(lock);
    keys.resize(lock.protocol->has_queue() ? 4 : 3);
    return keys;
}

void submit_permits_release(session& to, command& c, lock_spec const& lock, std::string_view token, script_form form)
{
    std::array<std::string_view, 3> const arguments{lock.channel, token, lock.weight};
    submit_script(to, c, scripts::permits_release, form, keys_of(lock), arguments);
}

// The counter and the timeouts of RedissonPermitExpirableSemaphore. A grant of weight w has w members: its token, and
// the token before "/2" ... "/w". The weight is a part of the lock_spec, so a grant's scripts have it with its lock.
class any_semaphore : public lock_protocol {
public:
    lock_kind kind() const noexcept override { return lock_kind::semaphore; }
    bool has_permits() const noexcept override { return true; }

    // The reply is nil: all were granted, or (how many were granted, time until enough permits have ended for the next
    // contender, number of permits).
    acquire_result classify(answer const& a) const override
    {
        if (a.outcome != outcome::applied)
            return classify_failure(a);
        if (a.value.is_nil())
            return {.what = acquire_result::kind::granted};
        if (a.value.items.size() != 3 || a.value.items[0].integer < 0)
            return {.what = acquire_result::kind::failed, .error = errc::protocol};
        auto refused = a.value.items[1].integer == never_enough
                           ? acquire_result{.what = acquire_result::kind::failed, .error = errc::invalid_option}
                           : busy_result(a.value.items[1].integer);
        refused.permits = a.value.items[2].integer;
        refused.granted_before = static_cast<std::size_t>(a.value.items[0].integer);
        return refused;
    }

    bool can_stay_taken() const noexcept override { return true; }

    void release_later(
        session& to, command& c, lock_spec const& lock, std::string_view token, core::duration rest, script_form form)
        const override
    {
        milliseconds_text const time(rest);
        auto const keys = keys_to_notify(lock);
        std::array<std::string_view, 4> const arguments{lock.channel, token, lock.weight, time};
        submit_script(to, c, scripts::permits_release_later, form, {keys.data(), keys.size()}, arguments);
    }

    script const& renewal() const noexcept override { return scripts::permits_renew; }

    void add_batch_keys(lock_spec const& lock, std::string_view, key_list& keys) const override
    {
        auto const own = permit_keys_of(lock);
        keys.insert(keys.end(), own.begin(), own.end());
    }

    // It replies with the number of permits that were taken away.
    void force_release(session& to, command& c, lock_spec const& lock, script_form form) const override
    {
        revoke_permits(to, c, lock, "", form);
    }

    void query_holders(
        session& to, command& c, lock_spec const& lock, std::string_view part, script_form form) const override
    {
        bool const is_numbered = lock.is_fenced();
        std::array<std::string_view, 3> const keys{
            lock.key, lock.companions[0], is_numbered ? lock.companions[2] : std::string_view()};
        std::array<std::string_view, 1> const arguments{part};
        submit_script(to, c, scripts::permits_holders, form, std::span(keys).first(is_numbered ? 3 : 2), arguments);
    }

    std::string_view next_part(reply const& r) const override
    {
        return r.items.empty() ? first_part : r.items.front().text;
    }

    // The remaining time and the name of each member, with its number if it has one. In the order of their names, the
    // first member of a grant is followed by its others.
    std::vector<holding> read_holders(reply const& r) const override
    {
        std::map<std::string_view, std::chrono::milliseconds> members;
        for (std::size_t i = 1; i + 1 < r.items.size(); i += 2)
            members.emplace(r.items[i + 1].text, r.items[i].integer);
        std::vector<holding> all;
        for (auto const& [name, remaining] : members)
            if (!all.empty() && belongs_to(name, all.back().id))
                ++all.back().weight;
            else if (is_first(name))
                all.push_back({.id = name, .remaining = remaining});
        std::ranges::for_each(all, take_number);
        std::ranges::sort(all, ends_earlier);
        return all;
    }

    // Locked: no permit is free. Permits whose time has passed count as held until somebody needs them.
    void query_locked(session& to, command& c, lock_spec const& lock) const override
    {
        to.submit(c, std::array<std::string_view, 4>{"GETRANGE", lock.key, "0", "17"});
    }

    // The text is empty if there is no counter. Of a counter that the scripts refuse (permit_counter.lua) nobody gets a
    // permit.
    bool says_locked(reply const& r) const override
    {
        std::int64_t free = 0;
        std::from_chars(r.text.data(), r.text.data() + r.text.size(), free);
        bool const is_counter = std::to_string(free) == r.text && std::abs(free) < std::int64_t(1) << 32;
        return !r.text.empty() && (!is_counter || free < 1);
    }

protected:
    ~any_semaphore() = default;

private:
    static constexpr std::size_t raw_size = 16;  // of Redisson's members, which may contain any byte

    // Whether the member is the first of its grant.
    static bool is_first(std::string_view member) noexcept
    {
        return member.size() <= raw_size || member.find('/') == member.npos;
    }

    // Of "<holder>#<number>". A holder of ours has no # in it.
    static void take_number(holding& h) noexcept
    {
        auto const mark = h.id.size() > raw_size ? h.id.find('#') : h.id.npos;
        if (mark == h.id.npos)
            return;
        std::from_chars(h.id.data() + mark + 1, h.id.data() + h.id.size(), h.number);
        h.id = h.id.substr(0, mark);
    }

    // Whether that member is one of the other permits of a holder.
    static bool belongs_to(std::string_view member, std::string_view holder) noexcept
    {
        return !is_first(member) && member.starts_with(holder) && member.substr(holder.size()).starts_with('/');
    }

    // A permit that is held for ever remains for -1 ms.
    static bool ends_earlier(holding const& a, holding const& b) noexcept
    {
        return std::tuple(a.remaining.count() < 0, a.remaining, a.id)
               < std::tuple(b.remaining.count() < 0, b.remaining, b.id);
    }
};

class plain_semaphore final : public any_semaphore {
public:
    bool serves_followers() const noexcept override { return true; }

    void acquire(session& to, command& c, attempt const& a, script_form form) const override
    {
        milliseconds_text const ttl(a.lease);
        auto const permits = std::to_string(a.lock.semaphore->permits);
        auto const waits = a.is_listening ? "1" : "0";
        boost::container::small_vector<std::string_view, 16> arguments{
            ttl, permits, semaphore_lifetime, a.lock.channel, waits, a.token, a.lock.weight};
        for (auto const& f : a.followers)
            arguments.insert(arguments.end(), {f.token, f.weight});
        submit_script(to, c, scripts::permits_acquire, form, keys_of(a.lock), {arguments.data(), arguments.size()});
    }

    void release(
        session& to, command& c, lock_spec const& lock, std::string_view token, script_form form) const override
    {
        submit_permits_release(to, c, lock, token, form);
    }

    script const* batch_release() const noexcept override { return &scripts::permits_release_all; }

    // A batch is mostly of one semaphore: its keys and its channel are sent once for all grants in a row.
    void add_release(lock_spec const& lock, std::string_view token, script_words& to) const override
    {
        bool const is_next = to.keys.empty() || to.keys[to.keys.size() - 3] != lock.key;
        if (auto const own = keys_of(lock); is_next)
            to.keys.insert(to.keys.end(), own.begin(), own.end());
        to.arguments.insert(to.arguments.end(), {token, lock.weight, is_next ? lock.channel : std::string_view()});
    }
};

// Besides, a HASH with the number of each holder, and a fencing counter. An entry counts only while its holder has the
// permit; the next grant removes those that do not.
class numbered_semaphore final : public any_semaphore {
public:
    void acquire(session& to, command& c, attempt const& a, script_form form) const override
    {
        milliseconds_text const ttl(a.lease);
        auto const permits = std::to_string(a.lock.semaphore->permits);
        auto keys = all_keys_of(a.lock);
        keys.push_back(a.lock.counter);
        std::array<std::string_view, 7> const arguments{
            ttl, permits, semaphore_lifetime, a.lock.channel, a.token, semaphore_lifetime, a.is_listening ? "1" : "0"};
        submit_script(to, c, scripts::permits_acquire_numbered, form, {keys.data(), keys.size()}, arguments);
    }

    // The reply is (1, fencing token, number), or as that of any semaphore.
    acquire_result classify(answer const& a) const override
    {
        bool const is_granted = a.outcome == outcome::applied && a.value.items.size() == 3
                                && a.value.items[0].integer == 1;
        if (!is_granted)
            return any_semaphore::classify(a);
        return {
            .what = acquire_result::kind::granted,
            .fence = static_cast<std::uint64_t>(a.value.items[1].integer),
            .number = static_cast<unsigned>(a.value.items[2].integer)};
    }

    void release(
        session& to, command& c, lock_spec const& lock, std::string_view token, script_form form) const override
    {
        submit_permits_release(to, c, lock, token, form);
    }

    script const& renewal() const noexcept override { return scripts::permits_renew_numbered; }

    void add_batch_keys(lock_spec const& lock, std::string_view, key_list& keys) const override
    {
        keys.insert(keys.end(), {lock.key, lock.companions[0], lock.companions[2]});
    }
};

// Besides, a queue of waiters, which each have a place and a channel of their own, as those of a fair lock.
class fair_semaphore final : public any_semaphore {
public:
    bool is_private() const noexcept override { return true; }
    script const* queue_refresh() const noexcept override { return &scripts::permits_fair_refresh; }
    bool leaves_trace(lock_spec const&) const noexcept override { return true; }

    void acquire(session& to, command& c, attempt const& a, script_form form) const override
    {
        milliseconds_text const ttl(a.lease);
        milliseconds_text const waiter_timeout(a.lock.waiter_timeout);
        auto const permits = std::to_string(a.lock.semaphore->permits);
        auto const keys = all_keys_of(a.lock);
        std::array<std::string_view, 8> const arguments{
            ttl,
            permits,
            semaphore_lifetime,
            a.lock.channel,
            a.token,
            a.lock.weight,
            waiter_timeout,
            a.will_wait ? "1" : "0"};
        submit_script(to, c, scripts::permits_fair_acquire, form, {keys.data(), keys.size()}, arguments);
    }

    // One script for a grant and for a place, as for a fair lock.
    void release(
        session& to, command& c, lock_spec const& lock, std::string_view token, script_form form) const override
    {
        milliseconds_text const waiter_timeout(lock.waiter_timeout);
        auto const keys = all_keys_of(lock);
        std::array<std::string_view, 4> const arguments{token, lock.weight, lock.channel, waiter_timeout};
        submit_script(to, c, scripts::permits_fair_leave, form, {keys.data(), keys.size()}, arguments);
    }
};

}  // namespace

lock_protocol const& semaphore_protocol(bool fair) noexcept
{
    static constexpr plain_semaphore plain;
    static constexpr fair_semaphore with_queue;
    return fair ? static_cast<lock_protocol const&>(with_queue) : plain;
}

lock_protocol const& numbered_semaphore_protocol() noexcept
{
    static constexpr numbered_semaphore with_numbers;
    return with_numbers;
}

void count_permits(session& to, command& c, lock_spec const& lock, script_form form)
{
    submit_script(to, c, scripts::permits_count, form, permit_keys_of(lock), {});
}

void set_permits(session& to, command& c, lock_spec const& lock, unsigned permits, script_form form)
{
    auto const wanted = std::to_string(permits);
    std::array<std::string_view, 3> const arguments{wanted, semaphore_lifetime, lock.channel};
    auto const keys = keys_to_notify(lock);
    submit_script(to, c, scripts::permits_set, form, {keys.data(), keys.size()}, arguments);
}

void add_permits(session& to, command& c, lock_spec const& lock, int by, unsigned most, script_form form)
{
    auto const added = std::to_string(by);
    auto const created = std::to_string(lock.semaphore->permits);
    auto const limit = std::to_string(most);
    std::array<std::string_view, 5> const arguments{added, semaphore_lifetime, lock.channel, created, limit};
    auto const keys = keys_to_notify(lock);
    submit_script(to, c, scripts::permits_set, form, {keys.data(), keys.size()}, arguments);
}

void revoke_permits(session& to, command& c, lock_spec const& lock, std::string_view holder, script_form form)
{
    std::array<std::string_view, 2> const arguments{lock.channel, holder};
    auto const keys = keys_to_notify(lock);
    submit_script(to, c, scripts::permits_force_release, form, {keys.data(), keys.size()}, arguments);
}

}  // namespace holdfast::engine
