//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_FWD_HPP
#define HOLDFAST_FWD_HPP

namespace holdfast {

struct acquire_options;
class any_lock;
struct campaign_options;
class client;
struct config;
struct credentials;
class credentials_handler;
struct credentials_request;
class election;
struct fair_acquire_options;
class fair_lock;
struct fair_try_options;
class latch;
struct leader;
class leader_watch;
class leadership;
class lease;
class multi_lock;
class mutex;
class observer;
class owner;
struct permit_count;
struct permit_options;
struct permit_try_options;
class read_write_lock;
class red_lock;
class reentrant_lock;
class semaphore;
struct try_options;
struct waiter;

enum class yield_reason : unsigned char;

namespace engine {
class owner_state;
}  // namespace engine

namespace detail {
class client_state;
class leader_watch_impl;
class lease_impl;
class lock_impl;
struct lock_access;
struct single_lock;
}  // namespace detail

}  // namespace holdfast

#endif
