//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_FENCE_GATE_HPP
#define HOLDFAST_FENCE_GATE_HPP

#include <concepts>
#include <cstdint>
#include <mutex>
#include <utility>

namespace holdfast {

/// Protects a resource in this process against stale holders: it refuses a fencing token that is smaller than one that
/// passed before. The lock alone cannot do that, because a holder may be paused between its last call of
/// `lease.valid()` and its write.
///
/// Use one gate for one resource, and keep it beside that resource. All holders of the lock must use the same gate. A
/// resource that several processes write (a file, a table, a key of Redis) must check the token where it is stored: see
/// docs/fencing.md.
///
/// @par Invariant
/// `greatest()` never decreases. A token passes if it is not smaller. Equal tokens pass, so a holder, and the
/// re-entries of its owner, may pass any number of times. A new gate lets every token pass. It is lost with its
/// process, as its resource is.
///
/// @par Reading
/// Pass the gate also to *read* a value that is going to be changed. Otherwise a stale write can still happen between
/// the read and the write of a later holder.
///
/// @par On the server
/// Nothing is sent.
///
/// @par Errors
/// None of its own. If the work throws, `pass(token, work)` throws the same exception, and its token counts as passed.
///
/// @par Thread safety
/// Distinct objects: safe. Shared objects: safe. The gate is not recursive: work that passes its own gate deadlocks.
///
/// @par Lifetimes
/// It can be neither copied nor moved. It refers to no client and no lease.
///
/// @par Example
/// @code
/// auto lease = co_await seat.acquire();   // holdfast::mutex seat{client, "seat", {.fencing = true}};
/// if (!gate.pass(lease.fencing_token().value(), [&] { balance = 7; }))
///     throw stale_holder();
/// @endcode
class fence_gate {
public:
    fence_gate() = default;
    fence_gate(fence_gate const&) = delete;
    fence_gate& operator=(fence_gate const&) = delete;

    /// Returns true if no greater token has passed. Smaller tokens are refused from then on. Another holder may pass
    /// before the caller's next step; where it must not, use `pass(token, work)`.
    [[nodiscard]] bool pass(std::uint64_t token)
    {
        return pass(token, [] {});
    }

    /// As `pass(token)`. If the token passes, calls `work` before any other token can pass; otherwise `work` is not
    /// called. The work must be short: it runs on the calling thread while a mutex is locked, so it cannot be a
    /// coroutine that waits.
    template <std::invocable Work>
    [[nodiscard]] bool pass(std::uint64_t token, Work&& work)
    {
        std::scoped_lock const guard(mutex_);
        if (token < greatest_)
            return false;
        greatest_ = token;
        std::forward<Work>(work)();
        return true;
    }

    /// The greatest token that has passed; 0: none has.
    std::uint64_t greatest() const
    {
        std::scoped_lock const guard(mutex_);
        return greatest_;
    }

private:
    mutable std::mutex mutex_;
    std::uint64_t greatest_ = 0;
};

}  // namespace holdfast

#endif
