//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_COMPLETION_HPP
#define HOLDFAST_COMPLETION_HPP

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/system_executor.hpp>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/lease.hpp>

#include "core/memory_end.hpp"
#include "handle/lease_impl.hpp"
#include "handle/named_error.hpp"

namespace holdfast::detail {

// The private members of a lease, for the library only.
struct lease_access {
    static lease make(lease_ptr l) noexcept { return lease(std::move(l)); }
    static lease_ptr& impl_of(lease& l) noexcept { return l.impl_; }
    static lease_ptr const& impl_of(lease const& l) noexcept { return l.impl_; }

    // True: a handler has received the lease, so the watchdog may renew it. False: the lease is on its way to another
    // handler. If that handler never runs, because its context has stopped, the lease must not be renewed for ever.
    static void take_up(lease& l, bool taken_up = true) noexcept
    {
        if (l.impl_)
            l.impl_->take_up(taken_up);
    }
};

// For each result of an operation: only a lease is taken up.
inline void take_up(lease& l) noexcept
{
    lease_access::take_up(l);
}
template <class Other>
void take_up(Other&) noexcept
{}

// A coroutine of the library has received a result and passes it on to another handler.
inline void give_back(lease& l) noexcept
{
    lease_access::take_up(l, false);
}
template <class Other>
void give_back(Other&) noexcept
{}

// Calls a handler directly. Precondition: the caller runs on the handler's executor.
//
// The slot is cleared first: it refers to the operation, which has ended, and the handler may use its slot for the
// next operation. A lease is taken up immediately before the call, so that the watchdog never renews a lease whose
// handler does not run.
template <class... Results>
void call_handler(
    asio::any_completion_handler<void(described_error, Results...)> handler, described_error ec, Results... results)
{
    asio::get_associated_cancellation_slot(handler).clear();
    (take_up(results), ...);
    std::move(handler)(std::move(ec), std::move(results)...);
}

// The executor of an io_context, as operations keep it until they complete: it tracks work.
using io_context_executor = std::decay_t<decltype(asio::require(
    std::declval<asio::io_context::executor_type>(), asio::execution::outstanding_work.tracked))>;

// Posts a handler to its executor, where `Finish` is called with it. The handler and its results are in memory of the
// handler's associated allocator (by default asio::recycling_allocator). As Asio requires, the memory is deallocated
// before the handler is called, so that the handler's next operation can use it again.
//
// An io_context takes that allocator, so one block suffices. asio::any_io_executor does not pass an allocator on: then
// the handler has a block of its own, and Asio allocates two more for the post.
template <class Handler, class Finish>
class delivery {
public:
    static void post(asio::any_io_executor const& executor, bool is_associated, Handler handler, Finish finish)
    {
        if (auto const* direct = executor.target<io_context_executor>(); direct && is_associated)
            return post_to(*direct, std::move(handler), std::move(finish));
        auto const memory = asio::get_associated_allocator(handler);
        allocator a(memory);
        auto* const place = std::allocator_traits<allocator>::allocate(a, 1);
        asio::post(
            executor, delivery(new (place) content{std::move(handler), std::move(finish), is_associated}, memory));
    }

    delivery(delivery&& other) noexcept : content_(std::exchange(other.content_, nullptr)), allocator_(other.allocator_)
    {}
    delivery& operator=(delivery&&) = delete;
    // An execution context that ends destroys what was posted to it. The handler and its results are destroyed here
    // then, without a call, and a lease among them is dropped.
    ~delivery()
    {
        if (content_)
            open();
    }

    // Runs once, or twice if the associated executor of the handler is not an any_io_executor. Its type was erased with
    // the handler, so it can only be reached from inside: first by a post to the client's executor, then by a dispatch.
    //
    // A dispatch that needs memory destroys the handler if there is none, so that ends the process. It may also run the
    // handler at once, so a std::bad_alloc of such a handler of the user ends it, too.
    void operator()()
    {
        if (!std::exchange(content_->is_there, true))
            return core::run_or_end([this] {
                auto const executor = asio::get_associated_executor(content_->handler, asio::system_executor());
                asio::dispatch(executor, std::move(*this));
            });
        auto [handler, finish, is_there] = open();
        finish(std::move(handler));
    }

private:
    struct content {
        Handler handler;
        Finish finish;
        bool is_there;  // false: it must still be dispatched to the handler's own executor
    };
    using allocator =
        typename std::allocator_traits<asio::associated_allocator_t<Handler>>::template rebind_alloc<content>;

    // What is posted counts as work itself, so the copies that post() makes of the executor need not count.
    static void post_to(io_context_executor const& executor, Handler handler, Finish finish)
    {
        auto const memory = asio::get_associated_allocator(handler);
        asio::post(
            asio::require(executor, asio::execution::outstanding_work.untracked),
            asio::bind_allocator(memory, [handler = std::move(handler), finish = std::move(finish)]() mutable {
                finish(std::move(handler));
            }));
    }

    delivery(content* c, allocator const& a) noexcept : content_(c), allocator_(a) {}

    // The allocator may refer to the handler, so the handler stays alive, on the stack, while the
    // memory is deallocated.
    content open() noexcept
    {
        auto* const place = std::exchange(content_, nullptr);
        auto taken = std::move(*place);
        place->~content();
        allocator_.deallocate(place, 1);
        return taken;
    }

    content* content_;     // null: moved from, or opened
    allocator allocator_;  // may refer to the handler in content_
};

// Calls a handler with stored results.
template <class... Results>
struct completion {
    described_error ec;
    std::tuple<Results...> results;

    void operator()(asio::any_completion_handler<void(described_error, Results...)> handler)
    {
        auto const call = [&](auto&... result) {
            call_handler<Results...>(std::move(handler), std::move(ec), std::move(result)...);
        };
        std::apply(call, results);
    }
};

// Completes an operation as if posted: never inside the function that started it, never on the
// client's strand (rule 22).
template <class... Results>
void post_completion(
    asio::any_io_executor const& executor,
    bool is_associated,
    asio::any_completion_handler<void(described_error, Results...)> handler,
    described_error ec,
    Results... results)
{
    using handler_type = asio::any_completion_handler<void(described_error, Results...)>;
    delivery<handler_type, completion<Results...>>::post(
        executor, is_associated, std::move(handler), {std::move(ec), {std::move(results)...}});
}

// Completes an operation that does not reach a client: its options are invalid, or the client does not exist any more.
// Thread-safe.
template <class... Results>
void complete_early(handler_at<void(error_code, Results...)> to, described_error ec, Results... results)
{
    post_completion<Results...>(
        to.at.executor, to.at.is_associated, std::move(to.handler), std::move(ec), std::move(results)...);
}

}  // namespace holdfast::detail

#endif
