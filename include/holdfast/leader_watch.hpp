//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LEADER_WATCH_HPP
#define HOLDFAST_LEADER_WATCH_HPP

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/config.hpp>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/error.hpp>
#include <holdfast/fwd.hpp>

namespace holdfast {

/// Who leads, as the server records it.
struct leader {
    std::string id;          ///< "<client's uuid>:<n>", or the text that another library wrote
    std::string value;       ///< what the leader wants to be known of it
    std::uint64_t term = 0;  ///< the fencing token of the leadership; 0: the holder wrote none, as another library's
    bool self = false;       ///< this client leads
    std::chrono::system_clock::time_point since{};  ///< the begin of the term, by the server's clock

    /// Whether all members are equal.
    friend bool operator==(leader const&, leader const&) = default;
};

namespace detail {

BOOST_SYMBOL_VISIBLE asio::any_io_executor executor_of(std::shared_ptr<leader_watch_impl> const&) noexcept;
BOOST_SYMBOL_VISIBLE void start_next_leader(
    handler_at<void(error_code, std::optional<leader>)>, std::shared_ptr<leader_watch_impl>);

}  // namespace detail

/// Observes who leads. Made by `election::observe()`, which has an example.
///
/// @par Thread safety
/// Distinct objects: safe. Shared objects: unsafe.
/// @par Lifetimes
/// It may outlive the election and the client; `next()` completes with errc::client_stopped then. If it is destroyed
/// while `next()` waits, that completes with `operation_aborted`.
class BOOST_SYMBOL_VISIBLE leader_watch {
public:
    /// Leaves a watch behind whose `next()` completes with errc::empty_lease. A `next()` that waits goes on.
    leader_watch(leader_watch&&) noexcept = default;

    /// Ends the observation of `*this`, as the destructor does.
    leader_watch& operator=(leader_watch&&) noexcept = default;

    /// The executor on which operations complete whose handler has none.
    using executor_type = asio::any_io_executor;

    /// The client's executor; the system executor if the watch was moved from, the client was destroyed or its
    /// execution context has ended.
    executor_type get_executor() const noexcept { return detail::executor_of(impl_); }

    /// Waits until another state than the last one is known: another leader, another value, or nobody. The first call
    /// completes as soon as the state is known. States between two calls are skipped: the latest one counts. The term
    /// never goes back.
    ///
    /// @par On the server
    /// From the first call on until the watch is destroyed: one subscription for all watches of this client and
    /// election, and a script that reads the state: after each message, when the leader's lease time ends unless it was
    /// renewed, and on a new connection; while nobody leads, once in `config::poll_interval`. Once a second if the
    /// server permits no subscription.
    /// @par Completion
    /// With the leader; without a value if nobody leads. An outage of the server is no error: the last state stands
    /// until another one is known.
    /// @par Errors
    /// - errc::wrong_type: a key of the election is of another type
    /// - errc::invalid_option: another `next()` of this watch waits
    /// - errc::empty_lease: the watch was moved from
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`. The watch goes on.
    template <token_for<void(error_code, std::optional<leader>)> Token = default_token>
    [[nodiscard]] auto next(Token&& token = {})
    {
        return detail::initiate(detail::start_next_leader, std::forward<Token>(token), impl_);
    }

private:
    friend class election;

    explicit leader_watch(std::shared_ptr<detail::leader_watch_impl> i) noexcept : impl_(std::move(i)) {}

    std::shared_ptr<detail::leader_watch_impl> impl_;
};

}  // namespace holdfast

#endif
