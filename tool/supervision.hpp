//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_SUPERVISION_HPP
#define HOLDFAST_CLI_SUPERVISION_HPP

#include <chrono>

#include <boost/asio/awaitable.hpp>

#include <holdfast/lease.hpp>

#include "tool/arguments.hpp"
#include "tool/child_process.hpp"
#include "tool/signal_source.hpp"

namespace holdfast::cli {

enum class command_end {
    by_itself,
    without_lock,  // by itself, too, but the lease was lost before
    stopped,       // by the tool, because the lease was lost
};

// Until the lease ends; 0 if it has ended.
std::chrono::milliseconds time_left(lease const&) noexcept;

// Waits for the end of the command, passes signals on to it, and stops it when the lease is lost. The arguments must
// outlive the coroutine.
asio::awaitable<command_end> supervise(child_process&, lease const&, signal_source&, run_arguments const&);

}  // namespace holdfast::cli

#endif
