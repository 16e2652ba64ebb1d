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

/// Guards a resource in this process against stale holders: whoever comes with a fencing token smaller than one that
/// was here before is refused. The lock alone cannot do that, because a holder may be paused between its last look at
/// `lease.valid()` and its write.
///
/// One gate for one resource: keep it beside what it guards. All holders of the lock must come to the same gate; a
/// resource that several processes write (a file, a table, a key of Redis) needs its check where it is kept: see
/// docs/fencing.md.
///
/// @par Order
/// Equal tokens pass: a holder comes as often as it likes, and so do the re-entries of one owner. A gate knows nothing
/// at first, so everything passes; it forgets what it knew with its process, which its resource does, too.
///
/// @par Reading
/// Come to the gate when you *read* what you are going to change, too: otherwise a stale write still slips in between
/// the read and the write of its successor.
///
/// @par On the server
/// Nothing.
///
/// @par Errors
/// None of its own. `pass(token, work)` throws what the work throws; its token remains seen.
///
/// @par Thread safety
/// Distinct objects: safe. Shared objects: safe. The gate is not recursive: work that comes to its own gate deadlocks.
///
/// @par Lifetimes
/// Neither copied nor moved. Knows no client and no lease.
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

    /// Whether no greater token was here. If so, smaller ones are refused from now on. What follows may be overtaken:
    /// for what must not be, use `pass(token, work)`.
    [[nodiscard]] bool pass(std::uint64_t token)
    {
        return pass(token, [] {});
    }

    /// As `pass(token)`, and does the work before anybody else passes, or not at all. The work must be short: it is done
    /// under a mutex, on the calling thread, so it can be no coroutine that waits.
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

    /// The greatest token that was here; 0: none was.
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
