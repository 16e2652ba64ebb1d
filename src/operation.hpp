//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_OPERATION_HPP
#define HOLDFAST_OPERATION_HPP

#include <atomic>
#include <memory>
#include <tuple>
#include <utility>

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/system_executor.hpp>

#include <holdfast/error.hpp>
#include <holdfast/lease.hpp>

#include "client_state.hpp"
#include "engine/request.hpp"
#include "engine/tenure.hpp"

namespace holdfast::detail {

struct lease_access {
    static lease make(boost::intrusive_ptr<engine::tenure> t) noexcept { return lease(tenure_ptr(t.detach())); }
    static tenure_ptr& tenure_of(lease& l) noexcept { return l.tenure_; }
};

// A handler with its results, on its way to the handler's executor.
template <class... Results>
struct completion {
    using handler_type = asio::any_completion_handler<void(error_code, Results...)>;

    handler_type handler;
    error_code ec;
    std::tuple<Results...> results;

    void operator()()
    {
        asio::get_associated_cancellation_slot(handler).clear();
        std::apply(
            [this](auto&... result) {
                (take_up(result), ...);
                std::move(handler)(ec, std::move(result)...);
            },
            results);
    }

private:
    // From here on somebody can look after the lease: the watchdog may renew it.
    static void take_up(lease& l) noexcept
    {
        if (auto& t = lease_access::tenure_of(l))
            t->take_up();
    }
    template <class Other>
    static void take_up(Other&) noexcept
    {}
};

// The result of an operation that does not reach a client.
template <class... Results>
void complete_early(
    std::shared_ptr<client_state> const& c,
    asio::any_completion_handler<void(error_code, Results...)> handler,
    error_code ec,
    Results... results)
{
    auto const inner = c ? c->executor() : asio::any_io_executor();
    asio::post(
        inner ? inner : asio::any_io_executor(asio::system_executor()),
        completion<Results...>{std::move(handler), ec, {std::move(results)...}});
}

// An asynchronous operation of the public face: a request with a handler. It is owned by the strand's side from
// launch() to retire(), and completes once, as if posted, in between.
template <class Base, class... Results>
class operation : public Base {
public:
    using handler_type = asio::any_completion_handler<void(error_code, Results...)>;

    template <class... Arguments>
    explicit operation(handler_type handler, std::shared_ptr<client_state> const& home, Arguments&&... arguments)
        : Base(std::forward<Arguments>(arguments)...),
          handler_(std::move(handler)),
          executor_(home->executor()),
          work_(asio::prefer(
              asio::get_associated_executor(handler_, executor_), asio::execution::outstanding_work.tracked)),
          home_(home)
    {}

    static void launch(boost::intrusive_ptr<operation> op, client_state& to)
    {
        if (auto slot = asio::get_associated_cancellation_slot(op->handler_); slot.is_connected())
            slot.assign([op](asio::cancellation_type_t type) {
                if (type != asio::cancellation_type::none)
                    op->ask_to_cancel();
            });
        to.send(*op.detach());
    }

protected:
    // On the strand. Both lead to complete() and retire(), at once or later.
    virtual void begin(engine::context&) = 0;
    virtual void cancel(engine::context&) = 0;

    bool is_complete() const noexcept { return !handler_; }

    void complete(error_code ec, Results... results)
    {
        asio::post(executor_, completion<Results...>{std::move(handler_), ec, {std::move(results)...}});
        handler_ = nullptr;
        work_ = {};
    }

    // The engine knows the operation no more.
    void retire() noexcept { intrusive_ptr_release(static_cast<engine::request*>(this)); }

private:
    struct cancellation final : engine::letter {
        explicit cancellation(operation& o) noexcept : of(o) {}
        void deliver(engine::context& c) override
        {
            boost::intrusive_ptr<operation> const keep(&of, false);
            if (!of.is_complete())
                of.cancel(c);
        }
        void discard() noexcept override { intrusive_ptr_release(static_cast<engine::request*>(&of)); }

        operation& of;
    };

    void deliver(engine::context& c) final
    {
        boost::intrusive_ptr<operation> const keep(this);
        begin(c);
    }
    void discard() noexcept final { retire(); }

    // Any thread: the slot only sends a letter.
    void ask_to_cancel() noexcept
    {
        auto const client = home_.lock();
        if (!client || asked_to_cancel_.exchange(true))
            return;
        intrusive_ptr_add_ref(static_cast<engine::request*>(this));
        client->send(cancellation_);
    }

    handler_type handler_;
    asio::any_io_executor executor_;
    asio::any_completion_executor work_;  // keeps the handler's execution context running
    std::weak_ptr<client_state> home_;
    cancellation cancellation_{*this};
    std::atomic<bool> asked_to_cancel_ = false;
};

}  // namespace holdfast::detail

template <template <class, class> class Associator, class... Results, class Default>
struct boost::asio::associator<Associator, holdfast::detail::completion<Results...>, Default>
    : Associator<typename holdfast::detail::completion<Results...>::handler_type, Default> {
    static auto get(holdfast::detail::completion<Results...> const& c) noexcept
    {
        return Associator<typename holdfast::detail::completion<Results...>::handler_type, Default>::get(c.handler);
    }
    static auto get(holdfast::detail::completion<Results...> const& c, Default const& d) noexcept
    {
        return Associator<typename holdfast::detail::completion<Results...>::handler_type, Default>::get(c.handler, d);
    }
};

#endif
