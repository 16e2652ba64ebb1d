//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_CLUSTER_EXAMINATION_HPP
#define HOLDFAST_CLI_CLUSTER_EXAMINATION_HPP

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include <holdfast/client.hpp>
#include <holdfast/config.hpp>

#include "operations/server_query.hpp"
#include "tool/cluster_view.hpp"
#include "tool/examination.hpp"

namespace holdfast::cli {

// The tests of `holdfast doctor` at a cluster: of the cluster as such, then of each primary.
class cluster_examination {
public:
    // `client` is connected to a cluster. `prefix`: the names of the tests begin with it. `lease`: the lease time of
    // the locks. `report` is called with each finding.
    cluster_examination(
        client&,
        config options,
        std::string_view prefix,
        std::chrono::milliseconds lease,
        examination::report_function report);

    asio::awaitable<void> operator()();

private:
    // A primary, by one of its hash slots, with the name of a lock whose slot it has (empty: none was found).
    struct primary {
        std::uint16_t slot;
        std::string name;
        std::string address = {};
    };

    asio::awaitable<void> query_primaries();
    asio::awaitable<void> query_addresses();
    void add(detail::primary_part const&);
    asio::awaitable<void> examine_cluster();
    asio::awaitable<void> view_from(primary const&, cluster_view&, std::string& untested);
    asio::awaitable<void> examine(primary const&);
    asio::awaitable<detail::command_reply> reply_from(primary const&, std::vector<std::string> words);
    examined examined_at(primary const&) const;

    client& client_;
    config const options_;
    std::string const prefix_;
    std::chrono::milliseconds const lease_;
    examination::report_function const report_;
    std::vector<primary> primaries_;
};

}  // namespace holdfast::cli

#endif
