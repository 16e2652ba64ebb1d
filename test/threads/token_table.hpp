//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_THREADS_TOKEN_TABLE_HPP
#define HOLDFAST_TEST_THREADS_TOKEN_TABLE_HPP

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio.hpp>
#include <boost/asio/experimental/co_composed.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/experimental/promise.hpp>
#include <boost/asio/experimental/use_promise.hpp>

#include <holdfast.hpp>

namespace holdfast::test {

// What became of the operations that were started. Each must complete once, and not inside the call that starts it.
class token_tally {
public:
    // Counts a start; on the same thread nothing may complete before the function returns.
    template <class Start>
    void start(Start const& s)
    {
        ++started_;
        is_starting_ = true;
        s();
        is_starting_ = false;
    }

    void complete()
    {
        if (is_starting_)
            ++inside_;
        ++completed_;
    }

    // The row starts a second operation.
    void start_another() { ++started_; }
    // Nothing tells when a detached operation completes.
    void detach() { ++completed_; }

    template <class Result>
    void collect(std::future<Result> f)
    {
        std::lock_guard const lock(mutex_);
        futures_.push_back([f = std::make_shared<std::future<Result>>(std::move(f))](std::chrono::seconds limit) {
            if (f->wait_for(limit) != std::future_status::ready)
                return false;
            try {
                f->get();
            } catch (std::future_error const&) {
                return false;  // broken promise: the handler was destroyed without a call
            } catch (std::exception const&) {
                // the operation has failed, which is a result
            }
            return true;
        });
    }

    // Waits for the futures, and counts those with a result as completed.
    void await_futures(std::chrono::seconds limit)
    {
        std::lock_guard const lock(mutex_);
        for (auto const& has_result : futures_)
            if (has_result(limit))
                ++completed_;
        futures_.clear();
    }

    int started() const { return started_; }
    int completed() const { return completed_; }
    int inside() const { return inside_; }

private:
    inline static thread_local bool is_starting_ = false;
    std::atomic<int> started_ = 0;
    std::atomic<int> completed_ = 0;
    std::atomic<int> inside_ = 0;
    std::mutex mutex_;
    std::vector<std::function<bool(std::chrono::seconds)>> futures_;
};

// What a coroutine or handler does at its end, also when an exception ends it. Null: moved from.
struct completing {
    explicit completing(token_tally& t) : tally(&t) {}

    template <class... Results>
    void operator()(Results&&...)
    {
        tally->complete();
    }

    token_tally* tally;
};

template <class Awaitable, class Operation, class Token>
Awaitable awaiting(Operation op, Token token, token_tally& t)
{
    try {
        co_await op(token);
    } catch (std::exception const&) {
        // the operation has failed, which is a result
    }
    t.complete();
}

template <class Operation>
auto compose(Operation op, completing done)
{
    return asio::async_initiate<completing, void()>(
        asio::experimental::co_composed<void()>([](auto, Operation inner) -> void {
            co_await inner(asio::as_tuple(asio::deferred));
            co_return {};
        }),
        done,
        std::move(op));
}

// What a token needs by Asio's rule: one executor that serialises the timer of a deadline and the operation. It calls
// the handler of a timer on its associated executor without the strand of the timer, so a future needs one thread.
enum class needs { nothing, serial_executor, one_thread };

// How an operation is started with one completion token.
struct token_row {
    std::string name;
    needs what;
    std::function<void(token_tally&, asio::any_io_executor)> start;
};

// Every token and adapter, except experimental::use_coro: with GCC 12 a timer of Asio does not survive it, either. `op` is
// called with a token; it is copied, and may be started on any thread. The executor is one that serialises what it runs.
// No deadline passes: it is set, and removed by the completion.
template <class Operation>
std::vector<token_row> token_rows(Operation op)
{
    using context = asio::any_io_executor;
    constexpr std::chrono::minutes limit(5);
    auto const cancelled = [op, limit](auto adapt) {
        return [op, adapt, limit](token_tally& t, context serial) {
            t.start_another();
            op(asio::cancel_after(limit, adapt(t, serial)));
            op(asio::cancel_at(std::chrono::steady_clock::now() + limit, adapt(t, serial)));
        };
    };
    auto const with = [op](auto adapt) {
        return [op, adapt](token_tally& t, context serial) { op(adapt(t, serial)); };
    };
    auto const callback = [](token_tally& t, context const&) { return completing(t); };
    auto const bound = [](token_tally& t, context const& s) { return asio::bind_executor(s, completing(t)); };
    auto const tuple = [](token_tally& t, context const&) { return asio::as_tuple(completing(t)); };
    auto const allocating = [](token_tally& t, context const&) {
        return asio::bind_allocator(std::allocator<char>(), completing(t));
    };
    auto const slotted = [](token_tally& t, context const&) {
        return asio::bind_cancellation_slot(asio::cancellation_slot(), completing(t));
    };
    auto const immediate = [](token_tally& t, context const& s) {
        return asio::bind_immediate_executor(s, completing(t));
    };
    auto const packaged = [](token_tally& t, context const&) { return asio::use_future(completing(t)); };
    auto const on_system = [](token_tally& t, context const&) {
        return asio::bind_executor(asio::system_executor(), completing(t));
    };
    auto const on_erased_system = [](token_tally& t, context const&) {
        return asio::bind_executor(context(asio::system_executor()), completing(t));
    };
    auto const redirected = [](token_tally& t, context const&) {
        auto const ec = std::make_shared<error_code>();
        return asio::redirect_error([&t, ec](auto&&...) { t.complete(); }, *ec);
    };
    using strand_awaitable = asio::awaitable<void, asio::strand<context>>;
    return {
        {"callback", needs::nothing, with(callback)},
        {"bind_executor", needs::nothing, with(bound)},
        {"as_tuple", needs::nothing, with(tuple)},
        {"redirect_error", needs::nothing, with(redirected)},
        {"bind_allocator", needs::nothing, with(allocating)},
        {"bind_cancellation_slot", needs::nothing, with(slotted)},
        {"bind_immediate_executor", needs::nothing, with(immediate)},
        {"use_future(function)", needs::nothing, with(packaged)},
        {"use_future", needs::nothing, [op](token_tally& t, context) { t.collect(op(asio::use_future)); }},
        {"detached",
         needs::nothing,
         [op](token_tally& t, context) {
             op(asio::detached);
             t.detach();
         }},
        {"deferred", needs::nothing, [op](token_tally& t, context) { op(asio::deferred)(completing(t)); }},
        {"use_promise",
         needs::one_thread,
         [op](token_tally& t, context) {
             auto p = std::make_shared<decltype(op(asio::experimental::use_promise))>(
                 op(asio::experimental::use_promise));
             (*p)([&t, p](auto&&...) { t.complete(); });
         }},
        {"parallel group",
         needs::nothing,
         [op](token_tally& t, context serial) {
             asio::experimental::make_parallel_group(op(asio::deferred), asio::post(serial, asio::deferred))
                 .async_wait(asio::experimental::wait_for_all(), asio::bind_executor(serial, completing(t)));
         }},
        {"use_awaitable",
         needs::nothing,
         [op](token_tally& t, context serial) {
             asio::co_spawn(serial, awaiting<asio::awaitable<void>>(op, asio::use_awaitable, t), asio::detached);
         }},
        {"use_awaitable of another executor type",
         needs::nothing,
         [op](token_tally& t, context serial) {
             asio::co_spawn(
                 asio::strand<context>(serial),
                 awaiting<strand_awaitable>(op, asio::use_awaitable_t<asio::strand<context>>(), t),
                 asio::detached);
         }},
        {"co_composed", needs::nothing, [op](token_tally& t, context) { compose(op, completing(t)); }},
        {"cancel_after(callback)", needs::serial_executor, cancelled(callback)},
        {"cancel_after(bind_executor)", needs::nothing, cancelled(bound)},
        {"cancel_after(bind_executor(system_executor))", needs::one_thread, cancelled(on_system)},
        {"cancel_after(bind_executor(any_io_executor(system_executor)))",
         needs::one_thread,
         cancelled(on_erased_system)},
        {"cancel_after(redirect_error)", needs::serial_executor, cancelled(redirected)},
        {"cancel_after(as_tuple)", needs::serial_executor, cancelled(tuple)},
        {"cancel_after(bind_allocator)", needs::serial_executor, cancelled(allocating)},
        {"cancel_after(use_future(function))", needs::one_thread, cancelled(packaged)},
        {"cancel_after(use_future)",
         needs::one_thread,
         [op, limit](token_tally& t, context) { t.collect(op(asio::cancel_after(limit, asio::use_future))); }},
        {"cancel_at(use_future)",
         needs::one_thread,
         [op, limit](token_tally& t, context) {
             t.collect(op(asio::cancel_at(std::chrono::steady_clock::now() + limit, asio::use_future)));
         }},
        {"cancel_after(use_awaitable)",
         needs::nothing,
         [op, limit](token_tally& t, context serial) {
             asio::co_spawn(
                 serial,
                 awaiting<asio::awaitable<void>>(op, asio::cancel_after(limit, asio::use_awaitable), t),
                 asio::detached);
         }},
    };
}

}  // namespace holdfast::test

#endif
