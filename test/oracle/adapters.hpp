//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_ADAPTERS_HPP
#define HOLDFAST_TEST_ORACLE_ADAPTERS_HPP

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "oracle/world.hpp"

namespace holdfast::test::oracle {

// What stands between an operation and its completion handler: field::adapter.
enum class adapter : std::uint8_t {
    none,
    as_tuple,
    coroutine,     // a coroutine awaits the operation, and calls the handler
    cancel_after,  // a limit that is never reached
    outside,       // none; a thread that runs no handlers begins the operation, which has no cancellation slot
};
inline constexpr std::int64_t adapter_count = 5;

// Those that need real time and real threads are left out elsewhere.
inline adapter adapter_of(step const& s, world const& w)
{
    auto const a = adapter(s.get(field::adapter) % adapter_count);
    return w.is_real() || a < adapter::cancel_after ? a : adapter::none;
}

template <class Deferred>
struct signature_of;
template <class Signature, class... Rest>
struct signature_of<asio::deferred_async_operation<Signature, Rest...>> {
    using type = Signature;
};

template <class Signature>
using any_handler = asio::any_completion_handler<Signature>;
// Begins an operation, once.
template <class Signature>
using beginning = std::function<void(any_handler<Signature>)>;

// Keeps the type of the operation out of the adapters, which are compiled for each signature only. The library must see
// the executor of the handler: without a client it would post a handler whose executor is erased to Asio's own threads.
template <class Deferred, class Signature = typename signature_of<Deferred>::type>
beginning<Signature> erased(Deferred d, asio::any_io_executor where)
{
    return [op = std::make_shared<Deferred>(std::move(d)), where = std::move(where)](any_handler<Signature> h) {
        std::move (*op)(asio::bind_executor(where, std::move(h)));
    };
}

// Begins it from an operation of Asio. cancel_after makes its timer for that executor.
template <class Signature>
struct initiation {
    using executor_type = asio::any_io_executor;
    executor_type get_executor() const noexcept { return where; }
    void operator()(auto handler) { begin(any_handler<Signature>(std::move(handler))); }

    beginning<Signature> begin;
    executor_type where;
};

template <class Token, class Signature>
auto begin_with(beginning<Signature> begin, asio::any_io_executor where, Token&& token)
{
    return asio::async_initiate<Token, Signature>(initiation<Signature>{std::move(begin), std::move(where)}, token);
}

template <class Signature>
asio::awaitable<void> await(beginning<Signature> begin, any_handler<Signature> end)
{
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    co_await asio::this_coro::throw_if_cancelled(false);
    auto const where = co_await asio::this_coro::executor;
    auto operation = begin_with(std::move(begin), where, asio::as_tuple(asio::use_awaitable));
    auto results = co_await std::move(operation);
    std::apply(std::move(end), std::move(results));
}

// Begins the operation with a handler that is adapted in that way. `where` and `slot` are those of the handler.
template <class Signature>
void begin_adapted(
    adapter how,
    beginning<Signature> begin,
    any_handler<Signature> end,
    asio::any_io_executor const& where,
    asio::cancellation_slot slot)
{
    switch (how) {
        case adapter::none: return begin(std::move(end));
        case adapter::as_tuple: {
            auto apply = [end = std::move(end)](auto results) mutable {
                std::apply(std::move(end), std::move(results));
            };
            begin_with(
                std::move(begin),
                where,
                asio::as_tuple(asio::bind_cancellation_slot(slot, asio::bind_executor(where, std::move(apply)))));
            return;
        }
        case adapter::coroutine: {
            auto const rethrow = [](std::exception_ptr e) {
                if (e)
                    std::rethrow_exception(e);
            };
            asio::co_spawn(where, await(std::move(begin), std::move(end)), asio::bind_cancellation_slot(slot, rethrow));
            return;
        }
        case adapter::cancel_after:
            begin_with(std::move(begin), where, asio::cancel_after(std::chrono::hours(1), std::move(end)));
            return;
        case adapter::outside: return begin(asio::bind_cancellation_slot(asio::cancellation_slot(), std::move(end)));
    }
}

}  // namespace holdfast::test::oracle

#endif
