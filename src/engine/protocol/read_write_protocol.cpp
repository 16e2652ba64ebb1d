//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <array>
#include <span>
#include <string>

#include <holdfast/error.hpp>

#include "engine/protocol/lock_protocol.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "scripts_generated.hpp"

namespace holdfast::engine {
namespace {

// RedissonReadLock's and RedissonWriteLock's hash: a field "mode", and a field for each holder, whose count stays 1. A
// reader has a slot besides, whose time to live is its own. What is ours are the marks of those who wait.
class read_write_base : public lock_protocol {
public:
    void force_release(session& to, command& c, lock_spec const& lock, script_form form) const override
    {
        std::array<std::string_view, 1> const keys{lock.key};
        std::array<std::string_view, 2> const arguments{lock.channel, slots_of(lock)};
        submit_script(to, c, scripts::read_write_force_release, form, keys, arguments);
    }

    void ask_holders(session& to, command& c, lock_spec const& lock, script_form form) const override
    {
        std::array<std::string_view, 1> const keys{lock.key};
        std::array<std::string_view, 1> const arguments{slots_of(lock)};
        submit_script(to, c, scripts::read_write_holders, form, keys, arguments);
    }

    std::vector<holding> read_holders(reply const& r) const override
    {
        std::vector<holding> all;
        for (std::size_t i = 2; i + 1 < r.items.size(); i += 2) {
            bool const is_writer = r.items[1].text == "write" && names_writer(r.items[i].text);
            auto const left = (is_writer ? r.items.front() : r.items[i + 1]).integer;
            if (left != is_absent)
                all.push_back({r.items[i].text, std::chrono::milliseconds(left), is_writer});
        }
        return all;
    }

    void ask_locked(session& to, command& c, lock_spec const& lock) const override
    {
        to.submit(c, std::array<std::string_view, 3>{"HGET", lock.key, "mode"});
    }

protected:
    ~read_write_base() = default;

    static std::string_view writer_mark(lock_spec const& lock) noexcept { return lock.companions[0]; }
    static std::string_view reader_mark(lock_spec const& lock) noexcept { return lock.companions[1]; }
    static std::string_view slots_of(lock_spec const& lock) noexcept { return lock.companions[2]; }
    static milliseconds_text mark_lifetime(attempt const& a) noexcept
    {
        return milliseconds_text(a.is_patient ? a.lock.rules->mark_lifetime : core::duration::zero());
    }

private:
    static constexpr std::int64_t is_absent = -2;

    // "<uuid>:<n>:write", with a label "<uuid>:<n>:write:<label>".
    static bool names_writer(std::string_view id) noexcept
    {
        auto const first = id.find(':');
        auto const second = first == id.npos ? id.npos : id.find(':', first + 1);
        auto const rest = second == id.npos ? std::string_view() : id.substr(second);
        return rest == ":write" || rest.starts_with(":write:");
    }
};

class plain_read_protocol final : public read_write_base {
public:
    std::uint8_t side() const noexcept override { return readers; }

    void acquire(session& to, command& c, attempt const& a, script_form form) const override
    {
        auto const slot = own_key(a.lock, a.token);
        milliseconds_text const ttl(a.lease);
        milliseconds_text const mark(mark_lifetime(a));
        std::array<std::string_view, 4> const keys{a.lock.key, slot, writer_mark(a.lock), reader_mark(a.lock)};
        std::array<std::string_view, 4> const arguments{a.token, ttl, a.cover, mark};
        submit_script(
            to, c, scripts::read_acquire, form, std::span(keys).first(keys_seen(a.lock.rules->prefer)), arguments);
    }

    acquire_result classify(answer const& a) const override
    {
        if (a.outcome != outcome::applied)
            return classify_failure(a);
        if (a.value.is_nil())
            return {.what = acquire_result::kind::granted};
        if (a.value.type == reply::kind::integer)
            return busy_result(a.value.integer);
        return {.what = acquire_result::kind::failed, .error = errc::protocol};
    }

    void release(
        session& to, command& c, lock_spec const& lock, std::string_view token, script_form form) const override
    {
        auto const slot = own_key(lock, token);
        std::array<std::string_view, 2> const keys{lock.key, slot};
        std::array<std::string_view, 3> const arguments{token, lock.channel, slots_of(lock)};
        submit_script(to, c, scripts::read_release, form, keys, arguments);
    }

    script const& renewal() const noexcept override { return scripts::read_renew; }

    void add_renewal_keys(lock_spec const& lock, std::string_view own_key, key_list& keys) const override
    {
        keys.insert(keys.end(), {lock.key, own_key, writer_mark(lock)});
    }

    std::string own_key(lock_spec const& lock, std::string_view token) const override
    {
        return std::string(slots_of(lock)).append(token).append(":rwlock_timeout:1");
    }

    core::duration longest_period(lock_spec const& lock) const noexcept override
    {
        auto const limit = lock.rules->peer_watchdog;
        return limit > core::duration::zero() ? limit : core::duration::max();
    }

    bool says_locked(reply const& r) const override { return r.text == "read"; }

private:
    // Readers that are preferred do not look at a waiting writer; those that have turns register for one.
    static std::size_t keys_seen(preference p) noexcept
    {
        return p == preference::readers ? 2 : p == preference::writers ? 3 : 4;
    }
};

// Fenced or not: the counter says it.
class plain_write_protocol final : public read_write_base {
public:
    void acquire(session& to, command& c, attempt const& a, script_form form) const override
    {
        milliseconds_text const ttl(a.lease);
        milliseconds_text const mark(
            leaves_trace(a.lock) ? mark_lifetime(a) : milliseconds_text(core::duration::zero()));
        std::array<std::string_view, 4> const keys{
            a.lock.key, writer_mark(a.lock), reader_mark(a.lock), a.lock.counter};
        std::array<std::string_view, 5> const arguments{a.token, ttl, slots_of(a.lock), mark, counter_lifetime};
        submit_script(
            to, c, scripts::write_acquire, form, std::span(keys).first(a.lock.is_fenced() ? 4 : 3), arguments);
    }

    acquire_result classify(answer const& a) const override
    {
        if (a.outcome != outcome::applied)
            return classify_failure(a);
        auto const n = a.value.integer;
        if (a.value.type != reply::kind::integer)
            return {.what = acquire_result::kind::failed, .error = errc::protocol};
        return n >= 0 ? acquire_result{.what = acquire_result::kind::granted, .fence = static_cast<std::uint64_t>(n)}
                      : busy_result(-3 - n);
    }

    bool leaves_trace(lock_spec const& lock) const noexcept override
    {
        return lock.rules->prefer != preference::readers;
    }

    void release(
        session& to, command& c, lock_spec const& lock, std::string_view token, script_form form) const override
    {
        std::array<std::string_view, 3> const keys{lock.key, writer_mark(lock), reader_mark(lock)};
        std::array<std::string_view, 4> const arguments{
            token, lock.channel, slots_of(lock), lock.rules->prefer == preference::arrival ? readers_turn : "0"};
        submit_script(to, c, scripts::write_release, form, keys, arguments);
    }

    // A writer's field is renewed as any holder's.
    script const& renewal() const noexcept override { return scripts::reentrant_renew; }

    std::string_view token_mark() const noexcept override { return "write"; }

    bool says_locked(reply const& r) const override { return r.text == "write"; }

private:
    // How long waiting readers have, in ms, to enter before the next writer.
    static constexpr std::string_view readers_turn = "20";
    static constexpr std::string_view counter_lifetime = "86400000";
};

}  // namespace

lock_protocol const& read_protocol() noexcept
{
    static constexpr plain_read_protocol protocol;
    return protocol;
}

lock_protocol const& write_protocol() noexcept
{
    static constexpr plain_write_protocol protocol;
    return protocol;
}

}  // namespace holdfast::engine
