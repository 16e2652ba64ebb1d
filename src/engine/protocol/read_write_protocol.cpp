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

// The hash of RedissonReadLock and RedissonWriteLock: a field "mode", and a field for each holder, whose count is
// always 1. Each reader also has a slot, a key with the reader's own time to live, so that a reader that crashed does
// not hold the lock as long as the others. The marks of waiters are keys of Holdfast, which Redisson ignores.
class read_write_base : public lock_protocol {
public:
    // The scripts look at the slots of other holders.
    bool is_confined() const noexcept override { return false; }

    void force_release(session& to, command& c, lock_spec const& lock, script_form form) const override
    {
        std::array<std::string_view, 1> const keys{lock.key};
        std::array<std::string_view, 2> const arguments{lock.channel, slots_of(lock)};
        submit_script(to, c, scripts::read_write_force_release, form, keys, arguments);
    }

    void query_holders(
        session& to, command& c, lock_spec const& lock, std::string_view, script_form form) const override
    {
        std::array<std::string_view, 1> const keys{lock.key};
        std::array<std::string_view, 1> const arguments{slots_of(lock)};
        submit_script(to, c, scripts::read_write_holders, form, keys, arguments);
    }

    // The reply is (PTTL of the lock, mode, then holder and PTTL of its slot for each field). A writer has no slot and
    // holds as long as the lock. A field of a reader whose slot has expired is no holder.
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

    void query_locked(session& to, command& c, lock_spec const& lock) const override
    {
        to.submit(c, std::array<std::string_view, 3>{"HGET", lock.key, "mode"});
    }

protected:
    ~read_write_base() = default;

    // The order of core::rw_companions().
    static std::string_view writer_mark(lock_spec const& lock) noexcept { return lock.companions[0]; }
    static std::string_view reader_mark(lock_spec const& lock) noexcept { return lock.companions[1]; }
    static std::string_view slots_of(lock_spec const& lock) noexcept { return lock.companions[2]; }
    // Zero: no mark, because a single attempt does not wait and would not remove its mark.
    static milliseconds_text mark_lifetime(attempt const& a) noexcept
    {
        return milliseconds_text(a.will_wait ? a.lock.rules->mark_lifetime : core::duration::zero());
    }

private:
    static constexpr std::int64_t is_absent = -2;  // PTTL of a missing key

    // "<uuid>:<n>:write", or "<uuid>:<n>:write:<label>". The mode is not enough: in mode "write" there may also be
    // reads of the writer's owner.
    static bool names_writer(std::string_view id) noexcept
    {
        auto const first = id.find(':');
        auto const second = first == id.npos ? id.npos : id.find(':', first + 1);
        auto const rest = second == id.npos ? std::string_view() : id.substr(second);
        return rest == ":write" || rest.starts_with(":write:");
    }
};

// Reads are not fenced. The number of KEYS determines which marks the script respects.
class plain_read_protocol final : public read_write_base {
public:
    lock_kind kind() const noexcept override { return lock_kind::read; }
    std::uint8_t side() const noexcept override { return readers; }

    void acquire(session& to, command& c, attempt const& a, script_form form) const override
    {
        auto const slot = own_key(a.lock, a.token);
        milliseconds_text const ttl(a.lease);
        milliseconds_text const mark(mark_lifetime(a));
        std::array<std::string_view, 4> const keys{a.lock.key, slot, writer_mark(a.lock), reader_mark(a.lock)};
        std::array<std::string_view, 4> const arguments{a.token, ttl, a.cover, mark};
        submit_script(
            to, c, scripts::read_acquire, form, std::span(keys).first(key_count(a.lock.rules->prefer)), arguments);
    }

    acquire_result classify(answer const& a) const override { return classify_unfenced(a); }

    void release(
        session& to, command& c, lock_spec const& lock, std::string_view token, script_form form) const override
    {
        auto const slot = own_key(lock, token);
        std::array<std::string_view, 2> const keys{lock.key, slot};
        std::array<std::string_view, 3> const arguments{token, lock.channel, slots_of(lock)};
        submit_script(to, c, scripts::read_release, form, keys, arguments);
    }

    void release_later(
        session& to, command& c, lock_spec const& lock, std::string_view token, core::duration rest, script_form form)
        const override
    {
        auto const slot = own_key(lock, token);
        milliseconds_text const time(rest);
        std::array<std::string_view, 2> const keys{lock.key, slot};
        std::array<std::string_view, 4> const arguments{token, lock.channel, slots_of(lock), time};
        submit_script(to, c, scripts::read_release_later, form, keys, arguments);
    }

    script const& renewal() const noexcept override { return scripts::read_renew; }

    // The script also reports whether a writer waits, so that no reader joins the grant any more.
    void add_batch_keys(lock_spec const& lock, std::string_view own_key, key_list& keys) const override
    {
        keys.insert(keys.end(), {lock.key, own_key, writer_mark(lock)});
    }

    // The name of the first slot as Redisson derives it: a Redisson reader that leaves deletes the lock unless it finds
    // the slot of another reader.
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
    // Readers with preference ignore the mark of a waiting writer, so it is left out. With `writers` they respect it.
    // With `arrival` they also set a mark of their own, so that the writer's release gives them a turn.
    static std::size_t key_count(preference p) noexcept
    {
        return p == preference::readers ? 2 : p == preference::writers ? 3 : 4;
    }
};

// One protocol for fenced and other locks: the counter is passed as a further key.
class plain_write_protocol final : public read_write_base {
public:
    lock_kind kind() const noexcept override { return lock_kind::write; }
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

    // A waiting writer leaves its mark. Where readers have preference it would not be respected, so none is set.
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

    // The field of a writer is renewed like that of a reentrant lock: it has no slot.
    script const& renewal() const noexcept override { return scripts::reentrant_renew; }

    // As in Redisson, whose write holders are "<uuid>:<thread>:write".
    std::string_view token_mark() const noexcept override { return "write"; }

    bool says_locked(reply const& r) const override { return r.text == "write"; }

private:
    // The length of a turn in ms: no writer enters meanwhile. A process that needs longer to react to the unlock
    // message may miss the turn, and has the next one.
    static constexpr std::string_view readers_turn = "20";
    // As for a mutex: a fencing counter expires a day after its last use, in ms.
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
