//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LATCH_WAIT_HPP
#define HOLDFAST_LATCH_WAIT_HPP

#include <memory>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/latch.hpp>

#include "client/client_state.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::detail {

// Launches latch::wait(). Precondition: the options are valid.
void wait_for_latch(
    std::shared_ptr<client_state> const&,
    handler_at<void(error_code, bool)>,
    std::shared_ptr<engine::lock_spec const>,
    latch_wait_options const&);

}  // namespace holdfast::detail

#endif
