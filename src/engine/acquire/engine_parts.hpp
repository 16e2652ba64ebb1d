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

// The parts of one client that its arbiters and their acquisitions use. An arbiter has one reference to this structure
// instead of one to each part, because a client may have many arbiters. The structure has forward declarations only:
// each source includes the parts that it calls. client_engine owns it, and it outlives all arbiters.
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
