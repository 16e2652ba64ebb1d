//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_MEMBER_CALL_HPP
#define HOLDFAST_MEMBER_CALL_HPP

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>

#include <holdfast/detail/initiate.hpp>

#include "client/client_state.hpp"

namespace holdfast::detail {

// An operation on one member that a coordinator has started. Its handler never runs on the executor of the coordinator,
// unless the member is a composite lock: so a coordinator that does not wait for it may end, with its execution context,
// although the client of the member stands still.
//
// - Of a client: the handler is called where the engine completes the operation, on the client's strand, or by the
//   thread that starts or cancels the operation. So it must not call an engine.
// - Of a composite lock: all of it happens on the strand of the coordinator.
//
// cancel() sends its message before it returns: an acquire of the same owner that follows finds the first one ended. The
// mutex separates it from the completion, which clears the slot.
class member_call final : public std::enable_shared_from_this<member_call> {
public:
    // `at`: the client of the member; null: it is a composite lock, or its client has been destroyed. `here`: the
    // coordinator's strand.
    member_call(std::shared_ptr<client_state> const& at, asio::any_io_executor here)
        : context_(at ? &at->context() : nullptr), here_(std::move(here))
    {}

    // Whether the handler runs on the coordinator's strand.
    bool is_here() const noexcept { return !context_; }

    // Called once. `h`: void(described_error, Results...).
    template <class... Results, class Operation, class Handler>
    void start(Operation what, Handler h)
    {
        auto called = [self = shared_from_this(), h = std::move(h)](
                          described_error ec, Results... r) mutable { h(std::move(ec), std::move(r)...); };
        auto here = std::exchange(here_, {});
        handler_at<void(error_code, Results...)> to{
            asio::bind_cancellation_slot(signal_.slot(), std::move(called)),
            {is_here() ? std::move(here) : asio::any_io_executor(in_place{shared_from_this(), context_}), true},
            true};
        with_slot([&] { what.begin(std::move(to)); });
    }

    // Not inside an engine; on the coordinator's strand, if is_here().
    void cancel()
    {
        with_slot([this] { signal_.emit(asio::cancellation_type::total); });
    }

private:
    // What is posted to it runs at once, so a handler needs no execution context to run.
    struct in_place {
        std::shared_ptr<member_call> call;
        asio::execution_context* context;

        asio::execution_context& query(asio::execution::context_t) const noexcept { return *context; }
        static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept
        {
            return asio::execution::blocking.never;
        }
        in_place require(asio::execution::blocking_t::never_t) const noexcept { return *this; }
        template <class Function>
        void execute(Function f) const
        {
            call->run(std::move(f));
        }
        friend bool operator==(in_place const&, in_place const&) = default;
    };

    // The operation may complete meanwhile, on this thread. Its handler is called afterwards.
    template <class Function>
    void with_slot(Function f)
    {
        std::function<void()> completion;
        {
            std::scoped_lock const guard(mutex_);
            user_ = std::this_thread::get_id();
            f();
            user_ = std::thread::id();
            completion.swap(completion_);
        }
        if (completion)
            completion();
    }

    template <class Function>
    void run(Function f)
    {
        if (user_ == std::this_thread::get_id()) {  // in with_slot()
            completion_ = [shared = std::make_shared<Function>(std::move(f))] { std::move (*shared)(); };
            return;
        }
        std::scoped_lock const guard(mutex_);
        std::move(f)();
    }

    asio::execution_context* const context_;  // of the client; null: the handler runs on here_
    asio::any_io_executor here_;              // until it is started
    std::mutex mutex_;                        // locked while the slot is used
    std::atomic<std::thread::id> user_ = std::thread::id();
    asio::cancellation_signal signal_;
    std::function<void()> completion_;  // which came within with_slot()
};

}  // namespace holdfast::detail

#endif
