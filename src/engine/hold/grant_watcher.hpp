//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_GRANT_WATCHER_HPP
#define HOLDFAST_ENGINE_GRANT_WATCHER_HPP

#include "core/clock.hpp"

namespace holdfast::engine {

class grant;

// The watchdog, as a grant calls it. An interface, because the watchdog includes the grant. On the strand.
class grant_watcher {
public:
    // The grant's deadline has come: a renewal is due, or the end of one of its tenures.
    virtual void on_due(grant&, core::instant now) = 0;

protected:
    ~grant_watcher() = default;
};

}  // namespace holdfast::engine

#endif
