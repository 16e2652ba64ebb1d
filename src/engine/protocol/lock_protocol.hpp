//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_LOCK_PROTOCOL_HPP
#define HOLDFAST_ENGINE_LOCK_PROTOCOL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/system/error_code.hpp>

#include <holdfast/lock_kind.hpp>

#include "core/clock.hpp"
#include "engine/port/command.hpp"
#include "engine/port/script_words.hpp"
#include "engine/port/session.hpp"

// src/engine/protocol: the lock protocols, that is, for each kind of lock, the commands that are sent and the meaning
// of their replies. The folder decides nothing about when to send: the folders above it do. It includes only itself,
// engine/port and core, the vocabulary of the public headers, and the scripts that the build generates from
// scripts/lua.
namespace holdfast::engine {

class lock_spec;

// The result of an attempt to acquire.
struct acquire_result {
    enum class kind : std::uint8_t {
        granted,
        busy,            // the lock has another holder, or another waiter is first
        failed,          // waiting will not help
        later,           // the server accepts no command, or no write, now; the attempt was not applied
        moved,           // not applied, and the lock is at another server of the cluster now
        asked,           // not applied; the server that imports the hash slot may grant the lock
        no_script,       // not applied: to send the text is a new decision (rule 7)
        unknown,         // the server may have granted the lock, or may do so later
        unacknowledged,  // the server has granted the lock, but too few replicas have the grant
    };

    kind what = kind::unknown;
    boost::system::error_code error = {};              // failed; later, unknown: if the server gave a reason
    std::uint64_t fence = 0;                           // granted, of a fenced lock: the fencing token
    unsigned number = 0;                               // granted, of a numbered semaphore: the permit's
    std::chrono::milliseconds settle{};                // granted, of an election: how long until it leads
    core::duration remaining = core::duration::max();  // busy: until the holder's grant ends; max: not known, or never
    // busy, of a semaphore: how many permits there are, free and held; -1: none, or not known
    std::int64_t permits = -1;
    // busy or failed, of a semaphore: how many contenders before the one that this result concerns were granted
    std::size_t granted_before = 0;
    bool is_mute = false;  // busy: the reply has neither that time, nor the type of the key, so a probe is needed
};

// A further contender that an attempt of a semaphore serves, if enough permits are left after those before it.
struct follower {
    std::string_view token;
    std::string_view weight;
};

// The parameters of one attempt. The views are valid during the call of acquire().
struct attempt {
    lock_spec const& lock;
    std::string_view token;
    core::duration lease;                      // the lease time
    bool will_wait = false;                    // a contender waits if the attempt is refused
    bool is_listening = false;                 // of a semaphore: the client listens to the channel of its own
    std::uint8_t priority = 5;                 // of a fair lock
    std::string_view cover = {};               // of a read under a write of the same owner: the token of that write
    std::span<follower const> followers = {};  // in order of arrival
};

// A holder of a lock, as the server reports it.
struct holding {
    std::string_view id;  // a token, or the holder's id of another library
    std::chrono::milliseconds remaining;
    bool is_writer = false;
    unsigned weight = 1;  // of a semaphore: how many permits it has
    unsigned number = 0;  // of a numbered semaphore; 0: none
};

// The sides of a lock. Exclusive locks have only writers.
constexpr std::uint8_t writers = 0;
constexpr std::uint8_t readers = 1;

// The lock protocol of one kind of lock. Stateless: the objects are constants, which any thread may use.
// Precondition of each function that sends a command: the session is open.
class lock_protocol {
public:
    virtual lock_kind kind() const noexcept = 0;

    // Contenders on different sides of one lock never share a grant; the server arbitrates between them.
    virtual std::uint8_t side() const noexcept { return writers; }

    // Whether each contender has its own place on the server, and so its own arbiter. The order of a fair lock is that
    // of all processes, so its contenders must not wait behind each other in an arbiter.
    virtual bool is_private() const noexcept { return false; }

    // Whether the lock is a semaphore: several contenders may hold it at the same time, each with a grant of its own.
    virtual bool has_permits() const noexcept { return false; }

    // Whether one attempt can serve further contenders of the client: attempt::followers.
    virtual bool serves_followers() const noexcept { return false; }

    // The script that refreshes the places of a client in the queue of a lock on the server. KEYS: the lock and its
    // companions; ARGV: waiter timeout in ms, channel, tokens. It replies (t, i ...): waiter number i should make an
    // attempt; after t ms the lock may become free without a message; t < 0: not known. Null: there is no queue.
    virtual script const* queue_refresh() const noexcept { return nullptr; }

    // Whether an attempt that will wait takes a place in a queue on the server. Such an attempt may be repeated with
    // the same token: the script finds the token's place or its grant. A release of the token gives up either of them.
    bool has_queue() const noexcept { return queue_refresh() != nullptr; }

    virtual void acquire(session&, command&, attempt const&, script_form) const = 0;
    virtual acquire_result classify(answer const&) const = 0;

    // The script that grants several locks of this kind with one lease time, or none of them. KEYS: locks; ARGV: lease
    // time in ms, tokens. It replies 0: granted; (n, PTTL): the n-th lock is held. Null: there is no such script.
    virtual script const* batch_acquire() const noexcept { return nullptr; }

    // Whether a refused attempt of a waiter leaves something on the server: a place in a queue, or a mark. A release of
    // the token removes it.
    virtual bool leaves_trace(lock_spec const&) const noexcept { return false; }

    // Deletes the key if it still has that token, and publishes the unlock message. It never deletes the key of another
    // holder. It replies 0: the key does not have the token; n > 0: released, n - 1 subscribers received the message.
    virtual void release(session&, command&, lock_spec const&, std::string_view token, script_form) const = 0;

    // Whether a user may let a lock of this kind stay taken after its release (`at_least`).
    virtual bool can_stay_taken() const noexcept { return false; }

    // Releases the lock after `rest`, if the key still has that token: it sets the time to live to `rest`, and
    // publishes, so that waiters learn the new end. It replies as release() does. Precondition: can_stay_taken(), or it is
    // a read: its grant may have been prolonged for others (shared_arbiter).
    virtual void release_later(
        session&, command&, lock_spec const&, std::string_view token, core::duration rest, script_form) const;

    // The script that releases several locks. It replies for each of them as release() does. Null: there is none.
    virtual script const* batch_release() const noexcept { return nullptr; }
    // Adds one release to its KEYS and ARGV. The views point to the lock and to the token.
    virtual void add_release(lock_spec const&, std::string_view token, script_words&) const;

    // The script that renews a batch of grants, with the keys of add_batch_keys() and ARGV (token, lease time in ms)
    // for each; of semaphores (token, weight, lease time in ms). It replies for each 1: renewed; 2: renewed, and no
    // reader may join, because a writer waits; 0: the key is missing, or has another token. It never creates a key and
    // never shortens a time to live (rule 4).
    virtual script const& renewal() const noexcept = 0;
    using key_list = boost::container::small_vector_base<std::string_view>;
    virtual void add_batch_keys(lock_spec const&, std::string_view own_key, key_list& keys) const;

    // The key that a grant has besides the key of its lock: the slot of a reader. Empty: none.
    virtual std::string own_key(lock_spec const&, std::string_view token) const;

    // How long one confirmation by the server can be trusted, however long the lease time is: Redisson may shorten the
    // time to live of the key. The watchdog then confirms grants more often.
    virtual core::duration longest_period(lock_spec const&) const noexcept { return core::duration::max(); }

    // Whether the commands that acquire and release touch nothing but their KEYS. Only such a command may be sent to a
    // server that has a part of the slot's keys: to any other one, a key that has not come yet would seem free.
    virtual bool is_confined() const noexcept { return true; }

    // What precedes the owner's label in a token.
    virtual std::string_view token_mark() const noexcept { return {}; }

    // Queries of users, which do not pass through an arbiter. force_release() replies 1 if the lock was held, else 0.
    // The replies to the others are read by read_holders() and says_locked().
    virtual void force_release(session&, command&, lock_spec const&, script_form) const;
    // A lock that may have thousands of holders is read in parts: the first one begins at `first_part`, and each other
    // one where next_part() of the reply before it says. The last one is followed by `first_part`.
    static constexpr std::string_view first_part = "0";
    virtual void query_holders(session&, command&, lock_spec const&, std::string_view part, script_form) const;
    virtual std::string_view next_part(reply const&) const { return first_part; }
    // The first item of a reply, and all others of each part.
    virtual std::vector<holding> read_holders(reply const&) const;
    virtual void query_locked(session&, command&, lock_spec const&) const;
    virtual bool says_locked(reply const&) const;

    // Whether the reply to a refused attempt contains neither the type nor the time to live of the key. A waiter then
    // sends a probe (TYPE and PTTL). Such a protocol acquires by a plain command, not by a script.
    virtual bool is_mute() const noexcept { return false; }

protected:
    ~lock_protocol() = default;
};

// The result of an outcome that is not `applied`, the same for all kinds of lock.
acquire_result classify_failure(answer const&) noexcept;

// Busy, with the time to live from the server's reply. The values -1 (the key does not expire) and -2 (it does not
// exist any more) do not tell when the lock becomes free.
acquire_result busy_result(std::int64_t pttl) noexcept;

// The reply of an acquire script without fencing is nil: granted, or an integer: busy, with that PTTL.
acquire_result classify_unfenced(answer const&) noexcept;

// The reply of a fenced acquire script is one integer: n > 0 is the fencing token, n < 0 means busy and is -3 - PTTL.
// PTTL is -2 or greater, so -3 - PTTL is always negative.
acquire_result classify_fenced(answer const&) noexcept;

// Submits a release script with KEYS lock and ARGV token, channel.
void submit_release(session&, command&, script const&, lock_spec const&, std::string_view token, script_form);

// A duration as Redis expects it: whole milliseconds, in decimal, without an allocation.
class milliseconds_text {
public:
    explicit milliseconds_text(core::duration) noexcept;
    operator std::string_view() const noexcept { return {text_.data(), size_}; }

private:
    std::array<char, 20> text_;  // the longest number of 64 bits, with its sign
    std::size_t size_;
};

lock_protocol const& mutex_protocol(bool fenced) noexcept;
// The second round of a fenced red_lock, on one of its mutexes: raises the counter to `fence`, in decimal, if the key
// still has that token. It replies 1: the key has it; 0: it does not, and nothing changed.
void raise_fence(session&, command&, lock_spec const&, std::string_view token, std::string_view fence, script_form);
lock_protocol const& reentrant_protocol(bool fenced) noexcept;
lock_protocol const& read_protocol() noexcept;
lock_protocol const& write_protocol() noexcept;
lock_protocol const& fair_protocol() noexcept;
lock_protocol const& semaphore_protocol(bool fair) noexcept;
lock_protocol const& numbered_semaphore_protocol() noexcept;
lock_protocol const& election_protocol() noexcept;

// Submits the script that reads the number of permits of a semaphore, or that sets it. The replies are those of
// permits_count.lua and permits_set.lua.
void count_permits(session&, command&, lock_spec const&, script_form);
void set_permits(session&, command&, lock_spec const&, unsigned permits, script_form);
// The same, for a number that is added. It does not get above `most`. The reply has the number after that.
void add_permits(session&, command&, lock_spec const&, int by, unsigned most, script_form);
// Submits the script that takes the permits of one holder away. It replies how many these were.
void revoke_permits(session&, command&, lock_spec const&, std::string_view holder, script_form);

// Submits the script that changes the value of the leader with that token, that reads who leads, or which priority the
// next candidate has. The replies are those of election_proclaim.lua, election_state.lua and election_next.lua.
struct proclamation {
    std::string_view term;  // in decimal
    std::string_view value;
};
void proclaim(session&, command&, lock_spec const&, std::string_view token, proclamation const&, script_form);
void read_leader(session&, command&, lock_spec const&, script_form);
void read_next_candidate(session&, command&, lock_spec const&, script_form);

}  // namespace holdfast::engine

#endif
