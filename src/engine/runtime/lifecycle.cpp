//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/lifecycle.hpp"

namespace holdfast::engine {

error_code lifecycle::start() noexcept
{
    switch (state_) {
        case state::fresh: state_ = state::running; return {};
        case state::stopped: return errc::client_stopped;
        default: return errc::already_running;
    }
}

// A close() that is delivered after a stop() or an end() must not change the state back.
void lifecycle::close() noexcept
{
    if (state_ < state::closing)
        state_ = state::closing;
}

void lifecycle::end() noexcept
{
    if (state_ == state::closing)
        state_ = state::ending;
}

bool lifecycle::stop() noexcept
{
    return state_.exchange(state::stopped) != state::stopped;
}

error_code lifecycle::admission_error() const noexcept
{
    switch (state_.load(std::memory_order_relaxed)) {
        case state::fresh: return errc::not_running;
        case state::running: return {};
        default: return errc::client_stopped;
    }
}

}  // namespace holdfast::engine
