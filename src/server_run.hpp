//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SERVER_RUN_HPP
#define HOLDFAST_SERVER_RUN_HPP

#include <cstdint>
#include <memory>
#include <utility>

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

    // Two clients are connected to one server.
    bool is_twin_of(server_run const& other) const noexcept { return !id.empty() && id == other.id; }
};

// Asks the server by INFO: void(error_code, server_run). One that may not be asked is one that does not say anything.
// What is learnt, be it that, is kept by the client for its connection: a server is asked once.
struct server_run_launch {
    std::shared_ptr<client_state> of;
    asio::any_io_executor get_executor() const noexcept;
    void start(handler_at<void(error_code, server_run)>) &&;
};

// A function, since GCC 12 destroys an aggregate that is made in a co_await expression twice.
template <class Token>
auto ask_run(std::shared_ptr<client_state> of, Token&& token)
{
    return initiate<void(error_code, server_run)>(server_run_launch{std::move(of)}, std::forward<Token>(token));
}

}  // namespace holdfast::detail

#endif
