//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_COORDINATE_HPP
#define HOLDFAST_COORDINATE_HPP

#include <exception>
#include <memory>
#include <tuple>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/this_coro.hpp>

#include "composite/ask.hpp"
#include "engine/port/strand.hpp"
#include "handle/completion.hpp"
#include "handle/lock_impl.hpp"

namespace holdfast::detail {

// For coroutines that must end with a result when they are cancelled, because coordinate() passes results to the
// handler, not exceptions. By default, a coroutine of Asio reacts to terminal cancellations only, and throws at its
// next co_await. After this call, a cancellation of any type cancels the operation that the coroutine awaits, but does
// not throw; the coroutine calls is_cancelled() after each operation.
inline task<void> be_cancelled_by_hand()
{
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    co_await asio::this_coro::throw_if_cancelled(false);
}

// True if the coroutine was cancelled at any time since be_cancelled_by_hand().
inline task<bool> is_cancelled()
{
    auto const state = co_await asio::this_coro::cancellation_state;
    co_return state.cancelled() != asio::cancellation_type::none;
}

// Runs a coroutine that operates on several locks, and calls a user's handler with its result. The coroutine runs where
// the handler will: the execution contexts of the clients may end before, and the coroutine goes on with the clients
// that are left. It has a strand of its own, because the clients may run on several threads, and the handler's
// executor, too. The text of an error begins with the name of the lock, whose operation it is. Precondition: the
// coroutine owns the locks.
template <class... Results>
void coordinate(
    handler_at<void(error_code, Results...)> to, std::shared_ptr<lock_impl const> of, task<outcome_of<Results...>> body)
{
    engine::strand const strand(to.at.executor);
    auto const slot = asio::get_associated_cancellation_slot(to.handler);
    // Until the completion, run() of the handler's context must not return for lack of work.
    to.at.executor = asio::prefer(std::move(to.at.executor), asio::execution::outstanding_work.tracked);
    auto finish = [to = std::move(to), of = std::move(of)](std::exception_ptr e, outcome_of<Results...> end) mutable {
        // Errors are results. An exception is a failed allocation, with which the strand ends the process, or a fault of
        // the library, which leaves run() of the context.
        if (e)
            std::rethrow_exception(e);
        // The coroutine had taken up the lease. On its way to the user's handler it must not be renewed: the
        // handler may never run.
        auto const complete = [&](described_error& ec, Results&... results) {
            (give_back(results), ...);
            complete_early<Results...>(std::move(to), named(ec, of->name()), std::move(results)...);
        };
        std::apply(complete, end);
    };
    // The handler is bound to the strand, so that Asio dispatches a cancellation to it: without that, the cancellation
    // would run on the thread of its caller, at the same time as the coroutine.
    asio::co_spawn(
        strand, std::move(body), asio::bind_cancellation_slot(slot, asio::bind_executor(strand, std::move(finish))));
}

}  // namespace holdfast::detail

#endif
