//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/protocol/lock_protocol.hpp"

#include <array>
#include <charconv>

#include <holdfast/error.hpp>

#include "core/bounds.hpp"
#include "engine/port/refusal.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "scripts_generated.hpp"

namespace holdfast::engine {

// `later` and `unknown` are repeated with a backoff; `failed` ends the acquire with its error. A demoted server is
// `later`, because the session closes the connection and the next one may lead to the new master. After an error that
// the library does not know, such as one of a proxy in front of the server, the command may have been executed.
acquire_result classify_failure(answer const& a) noexcept
{
    using kind = acquire_result::kind;
    if (a.outcome == outcome::unknown)
        return {.what = kind::unknown};
    switch (a.why) {
        case refusal::no_script: return {.what = kind::no_script};
        case refusal::not_now:
        case refusal::redirected:
        case refusal::asked:
        case refusal::try_again:
        case refusal::read_only: return {.what = kind::later};
        case refusal::wrong_type: return {.what = kind::failed, .error = errc::wrong_type};
        case refusal::not_permitted: return {.what = kind::failed, .error = errc::not_permitted};
        case refusal::out_of_resources: return {.what = kind::later, .error = errc::server_refused};
        case refusal::other: return {.what = kind::unknown, .error = errc::server_refused};
        default: return {.what = kind::failed, .error = errc::protocol};
    }
}

// Limited, because another program may have set a time to live that overflows when it is added to an instant.
acquire_result busy_result(std::int64_t pttl) noexcept
{
    acquire_result v{.what = acquire_result::kind::busy};
    if (pttl >= 0)
        v.remaining = core::bounded(std::chrono::milliseconds(pttl));
    return v;
}

acquire_result classify_unfenced(answer const& a) noexcept
{
    if (a.outcome != outcome::applied)
        return classify_failure(a);
    if (a.value.is_nil())
        return {.what = acquire_result::kind::granted};
    if (a.value.type == reply::kind::integer)
        return busy_result(a.value.integer);
    return {.what = acquire_result::kind::failed, .error = errc::protocol};
}

acquire_result classify_fenced(answer const& a) noexcept
{
    if (a.outcome != outcome::applied)
        return classify_failure(a);
    auto const n = a.value.integer;
    if (a.value.type != reply::kind::integer || n == 0)
        return {.what = acquire_result::kind::failed, .error = errc::protocol};
    return n > 0 ? acquire_result{.what = acquire_result::kind::granted, .fence = static_cast<std::uint64_t>(n)}
                 : busy_result(-3 - n);
}

void submit_release(
    session& to, command& c, script const& s, lock_spec const& lock, std::string_view token, script_form form)
{
    std::array<std::string_view, 1> const keys{lock.key};
    std::array<std::string_view, 2> const arguments{token, lock.channel};
    submit_script(to, c, s, form, keys, arguments);
}

void lock_protocol::release_later(
    session& to, command& c, lock_spec const& lock, std::string_view token, core::duration, script_form form) const
{
    release(to, c, lock, token, form);
}

void lock_protocol::add_release(lock_spec const& lock, std::string_view token, script_words& to) const
{
    to.keys.push_back(lock.key);
    to.arguments.insert(to.arguments.end(), {token, lock.channel});
}

void lock_protocol::add_batch_keys(lock_spec const& lock, std::string_view, key_list& keys) const
{
    keys.push_back(lock.key);
}

std::string lock_protocol::own_key(lock_spec const&, std::string_view) const
{
    return {};
}

void lock_protocol::force_release(session& to, command& c, lock_spec const& lock, script_form form) const
{
    std::array<std::string_view, 1> const keys{lock.key};
    std::array<std::string_view, 1> const arguments{lock.channel};
    submit_script(to, c, scripts::lock_force_release, form, keys, arguments);
}

void lock_protocol::query_holders(
    session& to, command& c, lock_spec const& lock, std::string_view, script_form form) const
{
    std::array<std::string_view, 1> const keys{lock.key};
    submit_script(to, c, scripts::lock_holders, form, keys, {});
}

// The reply of lock_holders: (PTTL, holder ...), or only a PTTL of -2 if the lock is free.
std::vector<holding> lock_protocol::read_holders(reply const& r) const
{
    std::vector<holding> all;
    for (auto const& id : r.items.empty() ? r.items : r.items.subspan(1))
        all.push_back({.id = id.text, .remaining = std::chrono::milliseconds(r.items.front().integer)});
    return all;
}

void lock_protocol::query_locked(session& to, command& c, lock_spec const& lock) const
{
    to.submit(c, std::array<std::string_view, 2>{"EXISTS", lock.key});
}

bool lock_protocol::says_locked(reply const& r) const
{
    return r.integer != 0;
}

milliseconds_text::milliseconds_text(core::duration d) noexcept
{
    auto const ms = std::chrono::ceil<std::chrono::milliseconds>(d).count();
    size_ = static_cast<std::size_t>(std::to_chars(text_.data(), text_.data() + text_.size(), ms).ptr - text_.data());
}

}  // namespace holdfast::engine
