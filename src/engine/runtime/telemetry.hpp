//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_TELEMETRY_HPP
#define HOLDFAST_ENGINE_TELEMETRY_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include <holdfast/detail/described_error.hpp>
#include <holdfast/error.hpp>
#include <holdfast/loss.hpp>
#include <holdfast/observer.hpp>
#include <holdfast/stats.hpp>

#include "core/clock.hpp"
#include "engine/port/log.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "engine/runtime/acknowledgement.hpp"
#include "engine/runtime/meters.hpp"

namespace holdfast::engine {

using detail::described_error;
using detail::error_text;

// An acquire that has begun or ended. The views are valid during the call.
struct acquire_facts {
    lock_spec const& lock;
    std::string_view label;  // of the owner
    std::uint64_t acquire;   // its number
    void* context;           // of the observer
    core::duration waited;
};

// A tenure, or its end. The views are valid during the call.
struct tenure_facts {
    lock_spec const& lock;
    std::string_view label;
    std::uint64_t acquire;
    void* context;
    core::duration held;
    bool is_part;  // of the lease of a composite lock, which counts it: a user acquired the whole, not this part
};

// Reports what happens in a client: in its statistics, to its observer, in its log, and as its last failure. It takes
// facts and not contenders or tenures, so that it does not depend on the folders above it.
class telemetry {
public:
    telemetry(std::shared_ptr<observer> o, log l) : observer_(std::move(o)), log_(std::move(l)) {}

    // ---- any thread
    // Adds what belongs to no lock; the lock_meters have the rest.
    void add_to(stats&) const;
    failure last_failure() const;
    // Leases that were not released when the client stopped.
    std::size_t abandoned() const noexcept { return static_cast<std::size_t>(meters_.abandoned); }
    // Sets the last failure. An operation with an invalid option calls it on the thread of its caller.
    void remember(error_code, std::string_view words);

    // The number of another acquire; 0: there is no observer, who alone wants to know it.
    std::uint64_t next_acquire() noexcept
    {
        return has_observer() ? acquires_.fetch_add(1, std::memory_order_relaxed) + 1 : 0;
    }

    // ---- on the strand
    // The observer is a user's code and is called inside these functions. Its calls of the library are posted, so it
    // does not re-enter the engine.
    void on_joined(acquire_facts const&);
    // `fence`: the token of the lease; 0: it has none.
    void on_acquired(acquire_facts const&, std::uint64_t fence);
    void on_busy(acquire_facts const&);
    void on_failed(acquire_facts const&, error_code);

    void on_begun(lock_spec const&, bool is_part);
    void on_ended(tenure_facts const&);
    void on_lost(tenure_facts const&, loss);
    void on_at_risk(tenure_facts const&);
    void on_renewed(lock_spec const& l, core::duration lag) { meters_of(l).renewal_lag.add(lag); }
    // That renewal was one of this tenure, too. Only an observer wants to know.
    void on_renewed(tenure_facts const&, core::duration lag);
    bool has_observer() const noexcept { return observer_ != nullptr; }
    void on_handed_off(lock_spec const& l) { meters_of(l).handed_off.add(); }
    void on_answered(lock_spec const& l, core::duration trip) { meters_of(l).round_trip.add(trip); }

    // The server refused a command. Returns the error with the server's words. Does nothing without an error code.
    described_error on_refused(error_code, lock_spec const&, std::string_view words);
    // Too few replicas acknowledged a grant or a renewal. Returns the error: unavailable, or why the server denies
    // WAIT.
    described_error on_unacknowledged(lock_spec const&, acknowledgement const&);
    // Replicas acknowledge again.
    void on_acknowledged() noexcept { is_unacknowledged_ = false; }
    // A semaphore has that number of permits, and another one in the options of a handle.
    void on_permits_differ(lock_spec const&, std::int64_t total);
    // The server accepts renewals again, after it refused the renewal of this lock.
    void on_renewed_again(lock_spec const&);
    void on_connected();
    // `had_connection`: it ended; else none could be opened.
    void on_disconnected(error_code, std::string_view words, bool had_connection);
    // The client was stopped while so many releases had no reply.
    void on_stopped(std::size_t releases);

private:
    lock_meters& meters_of(lock_spec const& l) noexcept { return l.meters ? *l.meters : meters_.nameless; }

    std::shared_ptr<observer> const observer_;
    log const log_;
    client_meters meters_;
    std::atomic<std::uint64_t> acquires_ = 0;
    bool is_unacknowledged_ = false;    // the last acknowledgement was missing, and the log has it
    std::size_t tenures_ = 0;           // now, also those of composite leases
    mutable std::mutex failure_mutex_;  // of failure_, which has a string and cannot be atomic
    failure failure_;
};

}  // namespace holdfast::engine

#endif
