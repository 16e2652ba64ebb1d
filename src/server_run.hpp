//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SERVER_RUN_HPP
#define HOLDFAST_SERVER_RUN_HPP

#include <cstdint>
#include <memory>

#include <boost/static_string/static_string.hpp>

#include <holdfast/detail/initiate.hpp>

#include "core/clock.hpp"

namespace holdfast::detail {

class client_state;

// The life of one server process, as a connection showed it. Copied for each server of each round: without allocation.
struct server_run {
    using id_type = boost::static_string<64>;

    std::uint64_t epoch = 0;            // of the client's connections; 0: not known
    id_type id = {};                    // the same for two clients of one server; empty: the server does not say
    core::instant since = core::never;  // it runs at least since then
};

// Asks the server by INFO: void(error_code, server_run). What is learnt is kept by the client for its connection.
struct server_run_launch {
    std::shared_ptr<client_state> of;
    asio::any_io_executor get_executor() const noexcept;
    void start(handler_at<void(error_code, server_run)>) &&;
};

}  // namespace holdfast::detail

#endif
