//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <array>

#include <holdfast/error.hpp>

#include "engine/protocol/lock_spec.hpp"
#include "engine/protocol/one_key_protocol.hpp"
#include "scripts_generated.hpp"

namespace holdfast::engine {
namespace {

// A fencing counter expires a day after its last use, in ms, so that counters of unused locks do not accumulate. A
// counter that has expired does not restart at 1: the scripts take the server's time in microseconds if that is
// greater.
constexpr std::string_view counter_lifetime = "86400000";

// The key is a string with the token as its value.
using mutex_base = one_key_protocol<
    scripts::mutex_release,
    scripts::mutex_release_later,
    scripts::mutex_release_all,
    scripts::mutex_renew>;

// Acquires by SET NX PX with a unique value: a plain command costs the server less than a script (rule 21). Its reply
// is OK or nil, so a waiter sends a probe to find out when, and whether, the key expires.
// Source: "Distributed Locks with Redis", redis.io ("Correct Implementation with a Single Instance").
class plain_mutex final : public mutex_base {
public:
    lock_kind kind() const noexcept override { return lock_kind::mutex; }
    void acquire(session& to, command& c, attempt const& a, script_form) const override
    {
        // The form is not used: a plain command has no text to send after NOSCRIPT.
        milliseconds_text const ttl(a.lease);
        std::array<std::string_view, 6> const words{"SET", a.lock.key, a.token, "NX", "PX", ttl};
        to.submit(c, words);
    }

    acquire_result classify(answer const& a) const override
    {
        if (a.outcome != outcome::applied)
            return classify_failure(a);
        if (a.value.is_ok())
            return {.what = acquire_result::kind::granted};
        if (a.value.is_nil())
            return {.what = acquire_result::kind::busy, .is_mute = true};
        // Not from SET: a batch acquire completes the attempt of the member that is held with its PTTL.
        if (a.value.type == reply::kind::integer && a.value.integer < 0)
            return busy_result(-3 - a.value.integer);
        return {.what = acquire_result::kind::failed, .error = errc::protocol};
    }

    script const* batch_acquire() const noexcept override { return &scripts::mutex_acquire_all; }

    bool is_mute() const noexcept override { return true; }
};

// Acquires by a script, which also increases the counter. It replies with the PTTL of a held lock, so no probe is
// needed.
class fenced_mutex final : public mutex_base {
public:
    lock_kind kind() const noexcept override { return lock_kind::mutex; }
    void acquire(session& to, command& c, attempt const& a, script_form form) const override
    {
        milliseconds_text const ttl(a.lease);
        std::array<std::string_view, 2> const keys{a.lock.key, a.lock.counter};
        std::array<std::string_view, 3> const arguments{a.token, ttl, counter_lifetime};
        submit_script(to, c, scripts::mutex_acquire_fenced, form, keys, arguments);
    }

    acquire_result classify(answer const& a) const override { return classify_fenced(a); }
};

}  // namespace

lock_protocol const& mutex_protocol(bool fenced) noexcept
{
    static constexpr plain_mutex plain;
    static constexpr fenced_mutex with_token;
    return fenced ? static_cast<lock_protocol const&>(with_token) : plain;
}

void raise_fence(
    session& to, command& c, lock_spec const& lock, std::string_view token, std::string_view fence, script_form form)
{
    std::array<std::string_view, 2> const keys{lock.key, lock.counter};
    std::array<std::string_view, 3> const arguments{token, fence, counter_lifetime};
    submit_script(to, c, scripts::mutex_fence, form, keys, arguments);
}

}  // namespace holdfast::engine
