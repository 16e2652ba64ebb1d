//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_OPERATION_HPP
#define HOLDFAST_OPERATION_HPP

#include <atomic>
#include <memory>
#include <utility>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/prefer.hpp>

#include <holdfast/error.hpp>

#include "client/client_state.hpp"
#include "engine/port/request.hpp"
#include "handle/completion.hpp"

namespace holdfast::detail {

// An asynchronous operation of the public API: a request with a handler. It completes once, as if posted. The client
// owns it from launch() to retire().
template <class Base, class... Results>
class operation : public Base {
public:
    using handler_type = handler_at<void(error_code, Results...)>;

    template <class... Arguments>
    explicit operation(handler_type to, std::shared_ptr<client_state> const& home, Arguments&&... arguments)
        : Base(std::forward<Arguments>(arguments)...),
          handler_(std::move(to.handler)),
          executor_(asio::prefer(std::move(to.at.executor), asio::execution::outstanding_work.tracked)),
          is_associated_(to.at.is_associated),
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
    // Called on the strand. Both lead to complete() and retire(), at once or later.
    virtual void begin(engine::client_engine&) = 0;
    virtual void cancel(engine::client_engine&) = 0;
    // Called instead of begin(), not on the strand, when the client's execution context has ended. The handler may run
    // in another execution context that goes on.
    virtual void abandon() { complete(errc::client_stopped, Results()...); }

    bool is_complete() const noexcept { return !handler_; }

    void complete(error_code ec, Results... results)
    {
        post_completion<Results...>(
            std::exchange(executor_, {}), is_associated_, std::exchange(handler_, {}), ec, std::move(results)...);
    }

    // The engine has no reference to the operation any more.
    void retire() noexcept { intrusive_ptr_release(static_cast<engine::request*>(this)); }

private:
    struct cancellation final : engine::message {
        explicit cancellation(operation& o) noexcept : of(o) {}
        void deliver(engine::client_engine& c) override
        {
            boost::intrusive_ptr<operation> const keep(&of, false);
            if (!of.is_complete())
                of.cancel(c);
        }
        void discard() noexcept override { intrusive_ptr_release(static_cast<engine::request*>(&of)); }

        operation& of;
    };

    void deliver(engine::client_engine& c) final
    {
        boost::intrusive_ptr<operation> const keep(this);
        begin(c);
    }
    void discard() noexcept final
    {
        abandon();
        retire();
    }

    // Thread-safe: only sends a message to the strand.
    void ask_to_cancel() noexcept
    {
        auto const client = home_.lock();
        if (!client || asked_to_cancel_.exchange(true))
            return;
        intrusive_ptr_add_ref(static_cast<engine::request*>(this));
        client->send(cancellation_);
    }

    asio::any_completion_handler<void(error_code, Results...)> handler_;
    asio::any_io_executor executor_;  // tracks outstanding work, which keeps the handler's execution context running
    bool is_associated_;
    std::weak_ptr<client_state> home_;
    cancellation cancellation_{*this};
    std::atomic<bool> asked_to_cancel_ = false;
};

}  // namespace holdfast::detail

#endif
