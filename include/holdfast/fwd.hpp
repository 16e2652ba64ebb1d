//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_FWD_HPP
#define HOLDFAST_FWD_HPP

namespace holdfast {

struct acquire_options;
class any_lock;
class client;
struct config;
struct fair_acquire_options;
class fair_lock;
struct fair_try_options;
class lease;
class multi_lock;
class mutex;
class observer;
class owner;
class read_write_lock;
class red_lock;
class reentrant_lock;
struct try_options;

namespace engine {
class owner_state;
class tenure;
}  // namespace engine

namespace detail {
class bundle;
class client_state;
class lockable;
struct lock_access;
struct lock_state;
}  // namespace detail

}  // namespace holdfast

#endif
