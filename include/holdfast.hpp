//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_HPP
#define HOLDFAST_HPP

/// @namespace holdfast
/// Distributed locks over Redis or Valkey.

// All public headers except <holdfast/testing/server.hpp>, which is for tests.
#include <holdfast/any_lock.hpp>
#include <holdfast/client.hpp>
#include <holdfast/config.hpp>
#include <holdfast/credentials.hpp>
#include <holdfast/diagnostics.hpp>
#include <holdfast/election.hpp>
#include <holdfast/error.hpp>
#include <holdfast/fair_lock.hpp>
#include <holdfast/fence_gate.hpp>
#include <holdfast/holder.hpp>
#include <holdfast/latch.hpp>
#include <holdfast/lead.hpp>
#include <holdfast/leader_watch.hpp>
#include <holdfast/leadership.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/lock_kind.hpp>
#include <holdfast/loss.hpp>
#include <holdfast/multi_lock.hpp>
#include <holdfast/mutex.hpp>
#include <holdfast/observer.hpp>
#include <holdfast/options.hpp>
#include <holdfast/owner.hpp>
#include <holdfast/read_write_lock.hpp>
#include <holdfast/red_lock.hpp>
#include <holdfast/reentrant_lock.hpp>
#include <holdfast/semaphore.hpp>
#include <holdfast/stats.hpp>
#include <holdfast/version.hpp>
#include <holdfast/waiter.hpp>
#include <holdfast/with_lock.hpp>

#endif
