//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_CHANGES_HPP
#define HOLDFAST_CLI_DASHBOARD_CHANGES_HPP

#include <vector>

#include "operations/lock_survey.hpp"

namespace holdfast::cli::dashboard {

enum class change_kind {
    acquired,    // a holder is there that was not
    ended,       // a holder is gone: it has released the lock, or its lease time is over
    queued,      // a waiter of a fair lock has come
    left_queue,  // a waiter is gone, but does not hold the lock
};

struct lock_change {
    change_kind what;
    holder who;
};

// What happened to a lock between two observations, as far as they show it: a grant that began and ended in between is
// not seen. Lists that the survey has cut show no change.
std::vector<lock_change> changes_between(detail::lock_record const& before, detail::lock_record const& after);

// Whether two observations differ in nothing but remaining times.
bool same_apart_from_time(detail::lock_record const&, detail::lock_record const&);

}  // namespace holdfast::cli::dashboard

#endif
