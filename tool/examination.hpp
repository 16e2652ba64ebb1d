//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_EXAMINATION_HPP
#define HOLDFAST_CLI_EXAMINATION_HPP

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include <holdfast/any_lock.hpp>
#include <holdfast/client.hpp>
#include <holdfast/config.hpp>
#include <holdfast/mutex.hpp>

#include "tool/clock_check.hpp"
#include "tool/diagnosis.hpp"
#include "tool/probe_names.hpp"
#include "tool/probes.hpp"
#include "tool/spare_connection.hpp"

namespace holdfast::cli {

// The tests of `holdfast doctor`, one after the other. It touches no key and no connection but its own, and leaves no
// key behind. One exception: if it is interrupted, or the user may not delete, keys of its own last until they expire,
// a day at most.
class examination {
public:
    using report_function = std::function<void(finding const&)>;

    // `client` is connected. `options`: for more connections to the same server. `prefix`: the names of the tests begin
    // with it. `report` is called with each finding.
    examination(client&, config options, std::string_view prefix, report_function report);

    // An error if no lock can have such a name. Nothing else may be called then.
    asio::awaitable<error_code> name_error();

    asio::awaitable<void> operator()();

private:
    asio::awaitable<void> query_server();
    asio::awaitable<bool> has_rights();
    asio::awaitable<void> try_locks();
    asio::awaitable<bool> try_lock(any_lock);
    asio::awaitable<void> forget_keys();
    asio::awaitable<void> try_probes();
    asio::awaitable<command_reply> reply_for(probe const&, spare_connection&);
    asio::awaitable<void> measure();
    asio::awaitable<std::optional<clock_reading>> read_server_clock();
    asio::awaitable<void> compare_clocks(std::optional<clock_reading> first);
    void report_latency(std::chrono::steady_clock::duration median, std::chrono::steady_clock::duration most);

    client& client_;
    config const options_;
    report_function const report_;
    probe_names names_;
    mutex const lock_;
    bool is_replica_ = false;
};

}  // namespace holdfast::cli

#endif
