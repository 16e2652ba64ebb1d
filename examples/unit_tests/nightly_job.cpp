//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "nightly_job.hpp"

#include <utility>

#include <holdfast.hpp>

namespace asio = boost::asio;

asio::awaitable<job_result> run_nightly(holdfast::client& client, std::function<asio::awaitable<void>()> work)
{
    holdfast::mutex lock{client, "nightly"};
    auto const body = [&work](holdfast::lease&) { return work(); };
    try {
        co_await holdfast::with_lock(lock, {.wait = std::chrono::milliseconds(0)}, body);
        co_return job_result::done;
    } catch (boost::system::system_error const& e) {
        if (e.code() == holdfast::errc::busy)
            co_return job_result::another_host_runs_it;
        if (e.code() == holdfast::errc::lease_lost)
            co_return job_result::stopped;
        throw;
    }
}
