//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RELEASE_EACH_HPP
#define HOLDFAST_RELEASE_EACH_HPP

#include <memory>
#include <vector>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/lease.hpp>

namespace holdfast::detail {

class composite_lock;

// Releases the leases of that lock's members in parallel: one server that does not reply does not delay the others.
// Completes with success as soon as a quorum is released; otherwise, when all releases have completed, with the result
// of classify(), or as unavailable after command_timeout if a client stands still. A cancellation completes it at once
// with operation_aborted. The releases that are under way go on in each case.
void release_each(std::vector<lease>, std::shared_ptr<composite_lock const>, handler_at<void(error_code)>);

}  // namespace holdfast::detail

#endif
