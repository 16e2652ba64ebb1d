//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <array>
#include <charconv>
#include <string>

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

std::array<std::string_view, 2> keys_of(lock_spec const& lock) noexcept
{
    return {lock.key, lock.companions[0]};
}

// The counter and the timeouts of RedissonPermitExpirableSemaphore. A grant of weight w has w members: its token, and
// the token before "/2" ... "/w". The weight is a part of the lock_spec, so a grant's scripts have it with its lock.
class plain_semaphore final : public lock_protocol {
public:
    bool has_permits() const noexcept override { return true; }

    void acquire(session& to, command& c, attempt const& a, script_form form) const override
    {
        milliseconds_text const ttl(a.lease);
        auto const permits = std::to_string(a.lock.semaphore->permits);
        std::array<std::string_view, 6> const arguments{
            ttl, permits, semaphore_lifetime, a.lock.channel, a.token, a.lock.weight};
        submit_script(to, c, scripts::permits_acquire, form, keys_of(a.lock), arguments);
    }

    // The reply is nil: granted, or (0, time until enough permits have ended, number of permits): busy.
    acquire_result classify(answer const& a) const override
    {
        if (a.outcome != outcome::applied)
            return classify_failure(a);
        if (a.value.is_nil())
            return {.what = acquire_result::kind::granted};
        if (a.value.items.size() != 3)
            return {.what = acquire_result::kind::failed, .error = errc::protocol};
        auto const permits = a.value.items[2].integer;
        if (a.value.items[1].integer == never_enough)
            return {.what = acquire_result::kind::failed, .error = errc::invalid_option, .permits = permits};
        auto busy = busy_result(a.value.items[1].integer);
        busy.permits = permits;
        return busy;
    }

    void release(
        session& to, command& c, lock_spec const& lock, std::string_view token, script_form form) const override
    {
        std::array<std::string_view, 3> const arguments{lock.channel, token, lock.weight};
        submit_script(to, c, scripts::permits_release, form, keys_of(lock), arguments);
    }

    script const* batch_release() const noexcept override { return &scripts::permits_release_all; }
    script const& renewal() const noexcept override { return scripts::permits_renew; }

    void add_batch_keys(lock_spec const& lock, std::string_view, key_list& keys) const override
    {
        auto const own = keys_of(lock);
        keys.insert(keys.end(), own.begin(), own.end());
    }

    // It replies with the number of permits that were taken away.
    void force_release(session& to, command& c, lock_spec const& lock, script_form form) const override
    {
        std::array<std::string_view, 2> const arguments{lock.channel, ""};
        submit_script(to, c, scripts::permits_force_release, form, keys_of(lock), arguments);
    }

    void query_holders(session& to, command& c, lock_spec const& lock, script_form form) const override
    {
        submit_script(to, c, scripts::permits_holders, form, keys_of(lock), {});
    }

    // The reply is (whether there is a counter, free permits, then the remaining time and the name of each member).
    std::vector<holding> read_holders(reply const& r) const override
    {
        std::vector<holding> all;
        for (std::size_t i = 2; i + 1 < r.items.size(); i += 2)
            if (is_first(r.items[i + 1].text))
                all.push_back({.id = r.items[i + 1].text, .remaining = std::chrono::milliseconds(r.items[i].integer)});
        for (auto& h : all)
            h.weight = weight_of(h.id, r);
        return all;
    }

    // Locked: no permit is free. Permits whose time has passed count as held until somebody needs them.
    void query_locked(session& to, command& c, lock_spec const& lock) const override
    {
        to.submit(c, std::array<std::string_view, 2>{"GET", lock.key});
    }

    bool says_locked(reply const& r) const override
    {
        std::int64_t free = 1;
        std::from_chars(r.text.data(), r.text.data() + r.text.size(), free);
        return free < 1;
    }

private:
    static constexpr std::size_t raw_size = 16;  // of Redisson's members, which may contain any byte

    // Whether the member is the first of its grant.
    static bool is_first(std::string_view member) noexcept
    {
        return member.size() <= raw_size || member.find('/') == member.npos;
    }

    static unsigned weight_of(std::string_view holder, reply const& r) noexcept
    {
        unsigned weight = 1;
        for (std::size_t i = 3; i < r.items.size(); i += 2) {
            auto const member = r.items[i].text;
            if (!is_first(member) && member.starts_with(holder) && member.substr(holder.size()).starts_with('/'))
                ++weight;
        }
        return weight;
    }
};

}  // namespace

lock_protocol const& semaphore_protocol() noexcept
{
    static constexpr plain_semaphore protocol;
    return protocol;
}

void set_permits(session& to, command& c, lock_spec const& lock, unsigned permits, script_form form)
{
    auto const wanted = std::to_string(permits);
    std::array<std::string_view, 3> const arguments{wanted, semaphore_lifetime, lock.channel};
    submit_script(to, c, scripts::permits_set, form, keys_of(lock), arguments);
}

}  // namespace holdfast::engine
