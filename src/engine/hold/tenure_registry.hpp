//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_TENURE_REGISTRY_HPP
#define HOLDFAST_ENGINE_TENURE_REGISTRY_HPP

#include <holdfast/loss.hpp>

#include "core/clock.hpp"
#include "engine/hold/tenure.hpp"

namespace holdfast::engine {

class arbiter;
class grant;
class runtime;
class watchdog;
struct tenure_facts;

// Begins and ends the tenures of a client: updates the statistics, the owner, the grant and the watchdog together.
// Keeps lost tenures until their leases are destroyed. On the strand.
class tenure_registry {
public:
    tenure_registry(runtime& r, watchdog& w) noexcept : runtime_(r), watchdog_(w) {}
    tenure_registry(tenure_registry const&) = delete;
    tenure_registry& operator=(tenure_registry const&) = delete;
    ~tenure_registry() { sever_lost(); }

    // The tenure holds that grant, which the arbiter has, from now on.
    void begin(tenure&, grant&, arbiter& home);
    // The tenure no longer holds its grant. The caller drops its claim on the token. Precondition of both: the caller
    // has a reference to the tenure, because the grant drops its own.
    void end(tenure&);
    void lose(tenure&, loss);

    // When the validity of all tenures of that grant that were lost, and whose leases still exist, has ended; min: there
    // is none. Reads all that were lost of the client.
    core::instant lost_until(grant const&) const noexcept;
    // The lease of a lost tenure was released or destroyed. No effect if the tenure was not lost.
    void forget_lost(tenure&) noexcept;
    // The client stops: takes the grants from all lost tenures. Any threads may destroy the leases that are left,
    // several at the same time, and the reference counter of a grant is not thread-safe.
    void sever_lost() noexcept;

private:
    void detach(tenure&) noexcept;

    runtime& runtime_;
    watchdog& watchdog_;
    tenures lost_;
};

}  // namespace holdfast::engine

#endif
