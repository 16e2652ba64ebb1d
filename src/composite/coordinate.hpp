//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_COORDINATE_HPP
#define HOLDFAST_COORDINATE_HPP

#include <deque>
#include <exception>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "handle/lock_impl.hpp"
#include "operations/operation.hpp"

namespace holdfast::detail {

// For coroutines that must release locks when they are cancelled: a cancellation of any type cancels the operation that
// they await, but does not throw.
inline asio::awaitable<void> be_cancelled_by_hand()
{
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    co_await asio::this_coro::throw_if_cancelled(false);
}

inline asio::awaitable<bool> is_cancelled()
{
    auto const state = co_await asio::this_coro::cancellation_state;
    co_return state.cancelled() != asio::cancellation_type::none;
}

// Binds the operations of a parallel group to the strand of the coroutine: their clients may run on several threads,
// and the state of a group is not thread-safe.
template <class Operation>
auto all_on(asio::any_io_executor const& strand, std::vector<Operation> operations)
{
    std::deque<asio::executor_binder<Operation, asio::any_io_executor>>
        bound;  // a deque, because they are move-only, and their moves may throw
    for (auto& o : operations)
        bound.push_back(asio::bind_executor(strand, std::move(o)));
    return bound;
}

template <class... Results>
using outcome_of = std::tuple<error_code, Results...>;

// Runs a coroutine that operates on several locks, and calls a user's handler with its result. The coroutine has a
// strand of its own, because the clients of the locks may run on several threads.
template <class... Results>
void coordinate(
    lock_impl const& of, handler_at<void(error_code, Results...)> to, asio::awaitable<outcome_of<Results...>> body)
{
    auto const client = of.home();
    auto const executor = client ? client->executor() : asio::any_io_executor();
    if (!executor)
        return complete_early<Results...>(std::move(to), errc::client_stopped, Results()...);
    auto const strand = asio::make_strand(executor);
    auto const slot = asio::get_associated_cancellation_slot(to.handler);
    to.at.executor = asio::prefer(std::move(to.at.executor), asio::execution::outstanding_work.tracked);
    auto finish = [to = std::move(to)](std::exception_ptr e, outcome_of<Results...> end) mutable {
        if (e)
            std::rethrow_exception(e);
        auto const complete = [&](error_code ec, Results&... results) {
            (give_back(results), ...);
            complete_early<Results...>(std::move(to), ec, std::move(results)...);
        };
        std::apply(complete, end);
    };
    // Bound to the strand, so that a cancellation is dispatched to it.
    asio::co_spawn(
        strand, std::move(body), asio::bind_cancellation_slot(slot, asio::bind_executor(strand, std::move(finish))));
}

}  // namespace holdfast::detail

#endif
