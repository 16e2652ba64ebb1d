//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_METERS_HPP
#define HOLDFAST_ENGINE_METERS_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include <boost/asio/error.hpp>

#include <holdfast/error.hpp>
#include <holdfast/loss.hpp>
#include <holdfast/stats.hpp>

#include "core/clock.hpp"

namespace holdfast::engine {

// A number that only the strand changes, and any thread may read. A load and a store are enough for one writer, and
// cheaper than an atomic addition on the path of an acquire. Relaxed, because no thread derives the state of other data
// from it.
class counter {
public:
    // A gauge adds a negative number: the conversion to unsigned and the sum wrap around to the right value.
    void add(std::int64_t n = 1) noexcept
    {
        value_.store(value_.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(n), std::memory_order_relaxed);
    }
    operator std::uint64_t() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_ = 0;
};

// A number that any thread may change: the acquires of composite locks are not bound to the strand.
class shared_counter {
public:
    void add(std::int64_t n = 1) noexcept
    {
        value_.fetch_add(static_cast<std::uint64_t>(n), std::memory_order_relaxed);
    }
    operator std::uint64_t() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_ = 0;
};

// A histogram of durations with buckets of powers of two of a microsecond, as holdfast::histogram describes them. A
// fixed array, so that add() neither allocates nor depends on the range of the durations.
template <class Counter>
class basic_meter {
public:
    void add(core::duration d) noexcept
    {
        auto const ns = std::max<std::int64_t>(d.count(), 0);
        auto const us = static_cast<std::uint64_t>(ns / 1000);
        count_.add();
        sum_.add(ns);
        // bit_width(us) is the number of the bucket: 0 below 1 us, i from 2^(i-1) to less than 2^i. The last one has
        // the rest.
        buckets_[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(us)), buckets_.size() - 1)].add();
    }
    histogram read() const
    {
        return {count_, std::chrono::nanoseconds(static_cast<std::int64_t>(sum_)), {buckets_.begin(), buckets_.end()}};
    }

private:
    Counter count_;
    Counter sum_;  // in nanoseconds
    std::array<Counter, histogram::bucket_count> buckets_;
};

// The statistics of acquires, as holdfast::lock_stats describes them.
template <class Counter>
struct acquire_meters {
    basic_meter<Counter> wait, hold;
    Counter acquired, busy, unavailable, cancelled, failed;  // ended
    Counter held, waiting;                                   // gauges

    // The counter for an acquire that ended in this way. Each acquire is counted by exactly one of the five.
    // `is_had`: it ended with a lease.
    Counter& end_of(error_code ec, bool is_had) noexcept
    {
        if (!ec)
            return is_had ? acquired : busy;
        if (ec == errc::unavailable || ec == errc::no_quorum)
            return unavailable;
        return ec == boost::asio::error::operation_aborted ? cancelled : failed;
    }

    void read(lock_stats& s) const
    {
        s.wait = wait.read();
        s.hold = hold.read();
        s.acquired = acquired;
        s.busy = busy;
        s.unavailable = unavailable;
        s.cancelled = cancelled;
        s.failed = failed;
        s.held = held;
        s.waiting = waiting;
    }
};

// Of the composite locks of one kind and label.
struct composite_meters : acquire_meters<shared_counter> {};

// Of the locks of one server, of one kind and label.
struct lock_meters : acquire_meters<counter> {
    basic_meter<counter> renewal_lag, round_trip;
    counter expired, key_missing, max_hold, client_stopped;  // lost
    counter at_risk, handed_off, refused, unacknowledged, permits_differ;

    counter& lost_by(loss why) noexcept
    {
        switch (why) {
            case loss::expired: return expired;
            case loss::key_missing: return key_missing;
            case loss::max_hold: return max_hold;
            case loss::client_stopped: break;
        }
        return client_stopped;
    }

    void read(lock_stats& s) const
    {
        acquire_meters::read(s);
        s.renewal_lag = renewal_lag.read();
        s.round_trip = round_trip.read();
        s.lost_by = {expired, key_missing, max_hold, client_stopped};
        auto const& by = s.lost_by;  // not read again: the sum agrees with its parts
        s.lost = by.expired + by.key_missing + by.max_hold + by.client_stopped;
        s.at_risk = at_risk;
        s.handed_off = handed_off;
        s.refused = refused;
        s.unacknowledged = unacknowledged;
        s.permits_differ = permits_differ;
    }
};

// Of the client itself, which belong to no lock.
struct client_meters {
    counter abandoned, connections;
    counter connected;     // a gauge
    lock_meters nameless;  // of commands for no lock: queries of the server
};

}  // namespace holdfast::engine

#endif
