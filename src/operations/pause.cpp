//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "operations/pause.hpp"

#include <algorithm>
#include <utility>

#include "core/backoff.hpp"
#include "core/deadline_queue.hpp"
#include "engine/client_engine.hpp"
#include "operations/operation.hpp"

namespace holdfast::detail {
namespace {

using plain_handler = handler_at<void(error_code)>;

// A deadline in the client's queue, not a timer: the library has one timer for each client (rule 24), and the clock of
// a simulated client is virtual.
class pause_operation final : public operation<engine::request>, public engine::client_waiter, public core::deadline {
public:
    pause_operation(plain_handler h, std::shared_ptr<client_state> const& home, pause const& p)
        : operation(std::move(h), home), least_(p.least), spread_(p.spread), limit_(p.limit)
    {}

    // The client was stopped: its alarm will never come.
    void done(described_error) override
    {
        engine_->runtime().disarm(*this);
        finish(errc::client_stopped);
    }
    void on_due(core::instant) override
    {
        unlink();
        finish({});
    }

private:
    void begin(engine::client_engine& c) override
    {
        auto& runtime = c.runtime();
        // The error also means that the client is shutting down. It will stop soon: the caller continues with the
        // clock of another client.
        if (runtime.lifecycle().admission_error() == errc::client_stopped)
            return finish(errc::client_stopped);
        engine_ = &c;
        // The greatest duration has no spread, so the sum below does not overflow.
        auto const left = std::max(limit_ - runtime.now(), {});
        c.wait_stopped(*this);
        runtime.arm(*this, runtime.recent() + std::min(least_ + core::jitter(spread_, runtime.random()), left));
    }
    void cancel(engine::client_engine& c) override
    {
        unlink();
        c.runtime().disarm(*this);
        finish(asio::error::operation_aborted);
    }

    core::duration least_;
    core::duration spread_;
    core::instant limit_;
    engine::client_engine* engine_ = nullptr;
};

}  // namespace

void pause::begin(plain_handler h) const
{
    auto const c = of;  // the handler may destroy this object, on another thread, before launch() returns
    launch<pause_operation>(c, std::move(h), *this);
}

}  // namespace holdfast::detail
