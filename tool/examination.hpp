//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_EXAMINATION_HPP
#define HOLDFAST_CLI_EXAMINATION_HPP

#include <chrono>
#include <cstdint>
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

// What an examination examines.
struct examined {
    std::uint16_t slot = 0;  // of a cluster: a hash slot of the primary
    probe_names names;       // the key is empty: no name of the tests is in a hash slot of this primary
};

// The tests of `holdfast doctor` at one server, one after the other. It touches no key and no connection but its own,
// and leaves no key behind. One exception: if it is interrupted, or the user may not delete, keys of its own last until
// they expire, a day at most.
class examination {
public:
    using report_function = std::function<void(finding const&)>;

    // `client` is connected. `options`: for more connections to the same server. `report` is called with each finding.
    examination(client&, config options, examined, report_function report);

    // It ends early at a server that replies to nothing for long: each command would wait for its time limit.
    asio::awaitable<void> operator()();

private:
    using time_point = std::chrono::steady_clock::time_point;

    asio::awaitable<void> examine();
    void report(finding const&);
    void count_silence(time_point sent, std::string_view command);
    bool is_silent() const noexcept { return !unanswered_.empty(); }
    asio::awaitable<void> query_server();
    asio::awaitable<bool> has_rights();
    asio::awaitable<void> try_locks();
    asio::awaitable<bool> try_lock(any_lock);
    asio::awaitable<void> try_names();
    void report_without_names();
    asio::awaitable<void> forget_keys();
    asio::awaitable<void> try_probes();
    asio::awaitable<command_reply> reply_to(std::vector<std::string> words);
    asio::awaitable<command_reply> reply_for(probe const&, spare_connection&);
    asio::awaitable<command_reply> reply_elsewhere(probe const&, spare_connection&);
    asio::awaitable<void> measure();
    asio::awaitable<std::optional<clock_reading>> read_server_clock();
    asio::awaitable<void> compare_clocks(std::optional<clock_reading> first);
    void report_latency(std::chrono::steady_clock::duration median, std::chrono::steady_clock::duration most);

    client& client_;
    config const options_;
    report_function const report_;
    std::uint16_t const slot_;
    probe_names names_;
    mutex const lock_;
    bool is_replica_ = false;
    std::chrono::steady_clock::duration in_vain_{};  // waited for replies that did not come
    std::string unanswered_;                         // the command with which that was too long; empty: it was not
};

}  // namespace holdfast::cli

#endif
