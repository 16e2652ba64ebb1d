//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_LOCK_PROTOCOL_HPP
#define HOLDFAST_ENGINE_LOCK_PROTOCOL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/system/error_code.hpp>

#include "core/clock.hpp"
#include "engine/port/command.hpp"
#include "engine/port/session.hpp"

namespace holdfast::engine {

class lock_spec;

// What became of a try to acquire.
struct acquire_result {
    enum class kind : std::uint8_t {
        granted,
        busy,       // somebody else holds it
        failed,     // waiting will not cure it
        later,      // the server cannot tell now
        no_script,  // not applied: sending the text is a new decision
        unknown,    // it may have been granted, or yet be
    };

    kind what = kind::unknown;
    boost::system::error_code error = {};              // failed
    std::uint64_t fence = 0;                           // granted, fenced
    core::duration remaining = core::duration::max();  // busy: when the grant in the way ends; max: not known or never
    bool is_mute = false;  // busy: says neither that, nor that it is a lock that is in the way
};

// One try for a grant.
struct attempt {
    lock_spec const& lock;
    std::string_view token;
    core::duration lease;
    bool is_patient = false;      // somebody waits if it is refused
    std::uint8_t priority = 5;    // of a fair lock
    std::string_view cover = {};  // the token of the own write under which it reads
};

// Somebody who holds a lock, as the server says.
struct holding {
    std::string_view id;
    std::chrono::milliseconds remaining;
    bool is_writer = false;
};

// The sides of a lock. All who hold a lock alone are of the first.
constexpr std::uint8_t writers = 0;
constexpr std::uint8_t readers = 1;

// How a kind of lock stands on the server: what is sent, and what the replies mean. Stateless.
class lock_protocol {
public:
    // Contenders of different sides of one lock never share a grant; the server arbitrates between them.
    virtual std::uint8_t side() const noexcept { return writers; }

    // Whether every contender has a place of its own on the server, and so an arbiter of its own.
    virtual bool is_private() const noexcept { return false; }

    // Whether a patient try takes a place in a queue on the server. Then it may be sent again with its token, which
    // finds its place or its grant; and a release gives up either.
    virtual bool has_queue() const noexcept { return false; }

    // Precondition of what sends: the session is open.
    virtual void acquire(session&, command&, attempt const&, script_form) const = 0;
    virtual acquire_result classify(answer const&) const = 0;

    // Grants several locks of this kind with one lease, or none of them, with KEYS locks and ARGV lease in ms, tokens.
    // Replies 0: granted; (n, PTTL): the n-th is held. Null: there is no such script.
    virtual script const* batch_acquire() const noexcept { return nullptr; }

    // Whether a refused try of one who waits leaves something on the server, which a release of its token takes back.
    virtual bool leaves_trace(lock_spec const&) const noexcept { return false; }

    // Compare-and-delete with an unlock message. Replies 0: not ours; n: the message reached n - 1 subscribers.
    virtual void release(session&, command&, lock_spec const&, std::string_view token, script_form) const = 0;

    // Releases several locks of such kinds, with KEYS locks and ARGV (token, channel) each. Replies for each as
    // release() does. Null: there is no such script.
    virtual script const* batch_release() const noexcept { return nullptr; }

    // For a batch of grants, with the keys that add_renewal_keys() names and (token, lease in ms) each. Replies for
    // each 1: still ours, 2: so it is, and nobody should join it, 0: gone.
    virtual script const& renewal() const noexcept = 0;
    using key_list = boost::container::small_vector_base<std::string_view>;
    virtual void add_renewal_keys(lock_spec const&, std::string_view own_key, key_list& keys) const;

    // The key that a grant has besides the lock's; empty: none.
    virtual std::string own_key(lock_spec const&, std::string_view token) const;

    // How long a grant may be relied on after one answer, however long its lease: other libraries may shorten it.
    virtual core::duration longest_period(lock_spec const&) const noexcept { return core::duration::max(); }

    // What the holder's label is preceded by in a token.
    virtual std::string_view token_mark() const noexcept { return {}; }

    // What is asked beside the arbiters. Replies: not 0, when it was held; what read_holders() understands; what
    // says_locked() understands.
    virtual void force_release(session&, command&, lock_spec const&, script_form) const;
    virtual void ask_holders(session&, command&, lock_spec const&, script_form) const;
    virtual std::vector<holding> read_holders(reply const&) const;
    virtual void ask_locked(session&, command&, lock_spec const&) const;
    virtual bool says_locked(reply const&) const;

    // Whether a refused try alone says nothing of the type and the time to live of the key: then a waiter asks TYPE and
    // PTTL.
    virtual bool is_mute() const noexcept { return false; }

protected:
    ~lock_protocol() = default;
};

// The result of an answer that is not `applied`, the same for all kinds.
acquire_result classify_failure(answer const&) noexcept;

// Busy, with the time to live that the server told: -1 and -2 tell nothing.
acquire_result busy_result(std::int64_t pttl) noexcept;

// The reply of a fenced acquire script: n > 0 the fencing token, n < 0 busy with -3 - PTTL.
acquire_result classify_fenced(answer const&) noexcept;

// A release script with KEYS lock and ARGV token, channel.
void submit_release(session&, command&, script const&, lock_spec const&, std::string_view token, script_form);

// A lease as Redis takes it: whole milliseconds, in decimal.
class milliseconds_text {
public:
    explicit milliseconds_text(core::duration) noexcept;
    operator std::string_view() const noexcept { return {text_.data(), size_}; }

private:
    std::array<char, 20> text_;
    std::size_t size_;
};

lock_protocol const& mutex_protocol(bool fenced) noexcept;
// Of a fenced mutex: raises its counter to `fence`, in decimal, if the token still stands. Replies 1: it does, 0: it
// does not.
void raise_fence(session&, command&, lock_spec const&, std::string_view token, std::string_view fence, script_form);
lock_protocol const& reentrant_protocol(bool fenced) noexcept;
lock_protocol const& read_protocol() noexcept;
lock_protocol const& write_protocol() noexcept;
lock_protocol const& fair_protocol() noexcept;

}  // namespace holdfast::engine

#endif
