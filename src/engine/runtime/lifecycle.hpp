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
// | state                           | event   | next    | result          |
// |---------------------------------|---------|---------|-----------------|
// | fresh                           | start() | running | success         |
// | running, closing, ending        | start() |         | already_running |
// | stopped                         | start() |         | client_stopped  |
// | fresh, running                  | close() | closing |                 |
// | closing, ending, stopped        | close() |         |                 |
// | closing                         | end()   | ending  |                 |
// | fresh, running, ending, stopped | end()   |         |                 |
// | fresh, running, closing, ending | stop()  | stopped | true            |
// | stopped                         | stop()  |         | false           |
//
// While it runs, a server may refuse the client permanently: see shard::refusal() and runtime::admission_error().
class lifecycle {
public:
    enum class state : std::uint8_t { fresh, running, closing, ending, stopped };

    // ---- on the strand
    error_code start() noexcept;
    // A client that closes accepts no acquires, and waits for its holders.
    void close() noexcept;
    // The bodies of with_lock are asked to end.
    void end() noexcept;
    // Returns whether this call stopped it: the caller then stops the parts, exactly once.
    bool stop() noexcept;

    // Why the client does not accept a new acquire or query; success if it does.
    error_code admission_error() const noexcept;

    // close() was called.
    bool is_closing() const noexcept { return state_.load(std::memory_order_relaxed) >= state::closing; }
    bool is_ending() const noexcept { return state_.load(std::memory_order_relaxed) >= state::ending; }

    // ---- any thread
    // Relaxed: the caller reads no other data that depends on the state.
    bool is_stopped() const noexcept { return state_.load(std::memory_order_relaxed) == state::stopped; }

private:
    std::atomic<state> state_ = state::fresh;  // changed on the strand only
};

}  // namespace holdfast::engine

#endif
