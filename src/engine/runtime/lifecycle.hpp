//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_LIFECYCLE_HPP
#define HOLDFAST_ENGINE_LIFECYCLE_HPP

#include <atomic>
#include <cstdint>

#include <holdfast/error.hpp>

namespace holdfast::engine {

// Whether a client accepts acquires and queries.
//
// | state                   | event   | next    | result          |
// |-------------------------|---------|---------|-----------------|
// | fresh                   | start() | running | success         |
// | running, closing        | start() |         | already_running |
// | stopped                 | start() |         | client_stopped  |
// | fresh, running, closing | close() | closing |                 |
// | stopped                 | close() |         |                 |
// | fresh, running, closing | stop()  | stopped | true            |
// | stopped                 | stop()  |         | false           |
//
// While it runs, a server may refuse the client permanently: see shard::refusal() and runtime::admission_error().
class lifecycle {
public:
    enum class state : std::uint8_t { fresh, running, closing, stopped };

    // ---- on the strand
    error_code start() noexcept;
    // A client that closes accepts no acquires, and waits for its holders.
    void close() noexcept;
    // Returns whether this call stopped it: the caller then stops the parts, exactly once.
    bool stop() noexcept;

    // Why the client does not accept a new acquire or query; success if it does.
    error_code admission_error() const noexcept;

    // ---- any thread
    // Relaxed: the caller reads no other data that depends on the state.
    bool is_stopped() const noexcept { return state_.load(std::memory_order_relaxed) == state::stopped; }

private:
    std::atomic<state> state_ = state::fresh;  // changed on the strand only
};

}  // namespace holdfast::engine

#endif
