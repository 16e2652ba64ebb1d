//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef NIGHTLY_JOB_HPP
#define NIGHTLY_JOB_HPP

#include <functional>

#include <boost/asio/awaitable.hpp>

#include <holdfast/client.hpp>

enum class job_result { done, another_host_runs_it, stopped };

// Runs `work` unless another host runs it. `work` is cancelled if the lock is lost.
boost::asio::awaitable<job_result> run_nightly(
    holdfast::client& client, std::function<boost::asio::awaitable<void>()> work);

#endif
