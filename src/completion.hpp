//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_COMPLETION_HPP
#define HOLDFAST_COMPLETION_HPP

#include <memory>
#include <tuple>
#include <utility>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/system_executor.hpp>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/lease.hpp>

#include "engine/tenure.hpp"

namespace holdfast::detail {

struct lease_access {
    static lease make(boost::intrusive_ptr<engine::tenure> t) noexcept { return lease(tenure_ptr(t.detach())); }
    static lease make(std::shared_ptr<bundle> b) noexcept { return lease(std::move(b)); }
    static tenure_ptr& tenure_of(lease& l) noexcept { return l.tenure_; }
    static std::shared_ptr<bundle>& bundle_of(lease& l) noexcept { return l.bundle_; }

    // From here on somebody can look after the lease: the watchdog may renew it. False: the lease goes on a journey again.
    static void take_up(lease& l, bool taken_up = true) noexcept
    {
        if (l.tenure_)
            l.tenure_->take_up(taken_up);
        else if (l.bundle_)
            take_up_all(*l.bundle_, taken_up);
    }

private:
    static void take_up_all(bundle&, bool) noexcept;
};

inline void take_up(lease& l) noexcept
{
    lease_access::take_up(l);
}
template <class Other>
void take_up(Other&) noexcept
{}

// A result is passed on to somebody else, who will take it up.
inline void give_back(lease& l) noexcept
{
    lease_access::take_up(l, false);
}
template <class Other>
void give_back(Other&) noexcept
{}

// Calls a handler on the executor that the caller is on.
template <class... Results>
void call_handler(asio::any_completion_handler<void(error_code, Results...)> handler, error_code ec, Results... results)
{
    asio::get_associated_cancellation_slot(handler).clear();
    (take_up(results), ...);
    std::move(handler)(ec, std::move(results)...);
}

// Carries a handler to its executor, as if posted. `Finish` is called with the handler there. What is carried lies in memory
// of the handler's associated allocator, which is given back before; by default that is asio::recycling_allocator.
template <class Handler, class Finish>
class delivery {
public:
    static void post(asio::any_io_executor const& executor, bool is_associated, Handler handler, Finish finish)
    {
        auto const memory = asio::get_associated_allocator(handler);
        allocator a(memory);
        auto* const place = std::allocator_traits<allocator>::allocate(a, 1);
        asio::post(
            executor, delivery(new (place) content{std::move(handler), std::move(finish), is_associated}, memory));
    }

    delivery(delivery&& other) noexcept : content_(std::exchange(other.content_, nullptr)), allocator_(other.allocator_)
    {}
    delivery& operator=(delivery&&) = delete;
    ~delivery()
    {
        if (content_)
            open();
    }

    void operator()()
    {
        if (!std::exchange(content_->is_there, true)) {
            auto const executor = asio::get_associated_executor(content_->handler, asio::system_executor());
            return asio::dispatch(executor, std::move(*this));
        }
        auto [handler, finish, is_there] = open();
        finish(std::move(handler));
    }

private:
    struct content {
        Handler handler;
        Finish finish;
        bool is_there;  // false: one more step leads to the handler's own executor
    };
    using allocator =
        typename std::allocator_traits<asio::associated_allocator_t<Handler>>::template rebind_alloc<content>;

    delivery(content* c, allocator const& a) noexcept : content_(c), allocator_(a) {}

    content open() noexcept
    {
        auto* const place = std::exchange(content_, nullptr);
        auto taken = std::move(*place);
        place->~content();
        allocator_.deallocate(place, 1);
        return taken;
    }

    content* content_;
    allocator allocator_;  // refers to the handler
};

// Calls a handler with these results.
template <class... Results>
struct completion {
    error_code ec;
    std::tuple<Results...> results;

    void operator()(asio::any_completion_handler<void(error_code, Results...)> handler)
    {
        std::apply(
            [&](auto&... result) { call_handler<Results...>(std::move(handler), ec, std::move(result)...); }, results);
    }
};

template <class... Results>
void post_completion(
    asio::any_io_executor const& executor,
    bool is_associated,
    asio::any_completion_handler<void(error_code, Results...)> handler,
    error_code ec,
    Results... results)
{
    using handler_type = asio::any_completion_handler<void(error_code, Results...)>;
    delivery<handler_type, completion<Results...>>::post(
        executor, is_associated, std::move(handler), {ec, {std::move(results)...}});
}

// The result of an operation that does not reach a client.
template <class... Results>
void complete_early(handler_at<void(error_code, Results...)> to, error_code ec, Results... results)
{
    post_completion<Results...>(to.at.executor, to.at.is_associated, std::move(to.handler), ec, std::move(results)...);
}

}  // namespace holdfast::detail

#endif
