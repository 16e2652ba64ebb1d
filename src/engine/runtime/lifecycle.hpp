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
// | state                   | event                 | next    | result                                       |
// |-------------------------|-----------------------|---------|----------------------------------------------|
// | fresh                   | start()               | running | success                                      |
// | running, closing        | start()               |         | already_running                              |
// | stopped                 | start()               |         | client_stopped                               |
// | fresh, running, closing | close()               | closing |                                              |
// | stopped                 | close()               |         |                                              |
// | fresh, running, closing | stop()                | stopped | true                                         |
// | stopped                 | stop()                |         | false                                        |
//
// While it runs, the server may refuse the client for good, which lasts until an epoch opens after all.
class lifecycle {
public:
    enum class state : std::uint8_t { fresh, running, closing, stopped };

    error_code start() noexcept;
    void close() noexcept;
    // True if this call stopped it.
    bool stop() noexcept;

    // The server refuses this client, and another connection will not cure it.
    void on_refused(error_code ec) noexcept { refusal_ = ec; }
    void on_open() noexcept { refusal_ = {}; }

    // Why no command can be sent for a new acquire or query; success when one can.
    error_code admission_error() const noexcept;
    // Why the server refuses this client; success when it does not.
    error_code refusal() const noexcept { return refusal_; }
    // May be called from any thread.
    bool is_stopped() const noexcept { return state_.load(std::memory_order_relaxed) == state::stopped; }

private:
    std::atomic<state> state_ = state::fresh;
    error_code refusal_;
};

}  // namespace holdfast::engine

#endif
