//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_PARTS_HPP
#define HOLDFAST_ENGINE_PARTS_HPP

namespace holdfast::engine {

class arbiter_host;
class fair_queues;
class releaser;
class runtime;
class subscriptions;
class tenure_registry;
class watchdog;

// The parts of one client that its arbiters and their acquisitions use. One structure for all of them, since there may
// be many arbiters. It only names the parts: a source includes those that it calls.
struct engine_parts {
    engine::runtime& runtime;
    engine::subscriptions& subscriptions;
    engine::watchdog& watchdog;
    engine::releaser& releaser;
    engine::fair_queues& fair_queues;
    tenure_registry& tenures;
    arbiter_host& host;
};

}  // namespace holdfast::engine

#endif
