//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <array>

#include "engine/protocol/lock_spec.hpp"
#include "engine/protocol/one_key_protocol.hpp"
#include "scripts_generated.hpp"

namespace holdfast::engine {
namespace {

using reentrant_base = one_key_protocol<
    scripts::reentrant_release,
    scripts::reentrant_release_later,
    scripts::reentrant_release_all,
    scripts::reentrant_renew>;

// The hash of RedissonLock: one field, whose name is the token and whose value is the hold count. The count is always
// 1, because the client counts re-entries: a lost reply cannot increase a count on the server.
class plain_reentrant final : public reentrant_base {
public:
    lock_kind kind() const noexcept override { return lock_kind::reentrant; }
    void acquire(session& to, command& c, attempt const& a, script_form form) const override
    {
        milliseconds_text const ttl(a.lease);
        std::array<std::string_view, 1> const keys{a.lock.key};
        std::array<std::string_view, 2> const arguments{a.token, ttl};
        submit_script(to, c, scripts::reentrant_acquire, form, keys, arguments);
    }

    acquire_result classify(answer const& a) const override { return classify_unfenced(a); }
};

// Shares the counter of RedissonFencedLock. There is no lifetime among the arguments: Redisson increases the counter
// with INCR, which would restart at 1 after the counter had expired.
class fenced_reentrant final : public reentrant_base {
public:
    lock_kind kind() const noexcept override { return lock_kind::reentrant; }
    void acquire(session& to, command& c, attempt const& a, script_form form) const override
    {
        milliseconds_text const ttl(a.lease);
        std::array<std::string_view, 2> const keys{a.lock.key, a.lock.counter};
        std::array<std::string_view, 2> const arguments{a.token, ttl};
        submit_script(to, c, scripts::reentrant_acquire_fenced, form, keys, arguments);
    }

    acquire_result classify(answer const& a) const override { return classify_fenced(a); }
};

}  // namespace

lock_protocol const& reentrant_protocol(bool fenced) noexcept
{
    static constexpr plain_reentrant plain;
    static constexpr fenced_reentrant with_token;
    return fenced ? static_cast<lock_protocol const&>(with_token) : plain;
}

}  // namespace holdfast::engine
