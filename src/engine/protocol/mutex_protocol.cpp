//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <array>

#include <holdfast/error.hpp>

#include "engine/protocol/lock_protocol.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "scripts_generated.hpp"

namespace holdfast::engine {
namespace {

// The counter outlives its last use by a day, so that counters of forgotten locks do not pile up.
constexpr std::string_view counter_lifetime = "86400000";

class mutex_base : public lock_protocol {
public:
    void release(
        session& to, command& c, lock_spec const& lock, std::string_view token, script_form form) const override
    {
        submit_release(to, c, scripts::mutex_release, lock, token, form);
    }
    script const* batch_release() const noexcept override { return &scripts::mutex_release_all; }
    script const& renewal() const noexcept override { return scripts::mutex_renew; }

protected:
    ~mutex_base() = default;
};

// SET NX PX with a random value.
// Source: "Distributed Locks with Redis", redis.io ("Correct Implementation with a Single Instance").
class plain_mutex final : public mutex_base {
public:
    void acquire(session& to, command& c, attempt const& a, script_form) const override
    {
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
        if (a.value.type == reply::kind::integer && a.value.integer < 0)
            return busy_result(-3 - a.value.integer);
        return {.what = acquire_result::kind::failed, .error = errc::protocol};
    }

    script const* batch_acquire() const noexcept override { return &scripts::mutex_acquire_all; }

    bool is_mute() const noexcept override { return true; }
};

class fenced_mutex final : public mutex_base {
public:
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
