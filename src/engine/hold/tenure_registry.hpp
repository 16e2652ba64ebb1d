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

class grant;
class runtime;
class watchdog;
struct tenure_facts;

// Begins and ends the tenures of a client: each is counted, its owner and its grant know of it, and the watchdog
// watches its grant. Keeps the tenures that were lost until their leases are destroyed.
class tenure_registry {
public:
    tenure_registry(runtime& r, watchdog& w) noexcept : runtime_(r), watchdog_(w) {}
    tenure_registry(tenure_registry const&) = delete;
    tenure_registry& operator=(tenure_registry const&) = delete;
    ~tenure_registry() { sever_lost(); }

    // The tenure holds that grant from now on. Precondition: `grant::home` is set.
    void begin(tenure&, grant&);
    // The tenure holds its grant no more. Its claim on the grant is left to the caller. Precondition of both: the
    // caller has a reference to the tenure.
    void end(tenure&);
    void lose(tenure&, loss);

    // The lease of a lost tenure was released or destroyed. Does nothing for a tenure that was not lost.
    void forget_lost(tenure&) noexcept;
    // The client stops. Any thread may destroy the leases that are left, several at the same time: none of them may
    // reach a grant, which belongs to the strand.
    void sever_lost() noexcept;

private:
    static tenure_facts facts_of(tenure const&, core::instant now);
    void detach(tenure&) noexcept;

    runtime& runtime_;
    watchdog& watchdog_;
    tenures lost_;
};

}  // namespace holdfast::engine

#endif
