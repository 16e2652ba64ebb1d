//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_OPERATION_HPP
#define HOLDFAST_OPERATION_HPP

#include <memory>
#include <string_view>
#include <utility>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/system_executor.hpp>

#include <holdfast/error.hpp>

#include "client/cancellation.hpp"
#include "client/client_state.hpp"
#include "core/memory_end.hpp"
#include "engine/port/request.hpp"
#include "handle/completion.hpp"

// operations: asynchronous operations on locks and leases of one server, and single_lock and single_lease, which start
// them. It may include core, engine, handle and client.
namespace holdfast::detail {

// An asynchronous operation of the public API: a request with a handler. It completes once, as if posted.
//
// launch() sends it to the strand as a message. There begin() calls the engine, which keeps only its address, as that
// of a waiter, contender or command. So the operation owns itself from launch() to retire(). Most end by finish(),
// which does both; complete() precedes retire() if a cancelled operation completes at once, while a command of it still
// waits for its reply.
//
// The engine refers to it as a `Base`: a request or a contender.
template <class Base, class... Results>
class operation : public Base {
public:
    using handler_type = handler_at<void(error_code, Results...)>;

    template <class... Arguments>
    explicit operation(handler_type to, std::shared_ptr<client_state> const& home, Arguments&&... arguments)
        : Base(std::forward<Arguments>(arguments)...),
          handler_(std::move(to.handler)),
          // The executor tracks work until completion, so that io_context::run() of the handler's context does not
          // return while only the client's context has something to do.
          executor_(asio::prefer(std::move(to.at.executor), asio::execution::outstanding_work.tracked)),
          is_associated_(to.at.is_associated),
          is_diagnosed_(to.is_diagnosed),
          home_(home)
    {}

    // Any thread. The slot is assigned before the operation is sent: afterwards another thread may have called the
    // handler, and its slot is not valid any more.
    static void launch(boost::intrusive_ptr<operation> op, client_state& to)
    {
        on_cancellation(op->handler_, [op] {
            if (auto const client = op->home_.lock())
                op->cancellation_.send_to(*client);
        });
        to.send(*op.detach());
    }

protected:
    // Called on the strand. Both lead to complete() and retire(), at once or later. cancel() is called after begin(),
    // at most once, and not if the operation is complete.
    virtual void begin(engine::client_engine&) = 0;
    virtual void cancel(engine::client_engine&) = 0;
    // Called instead of begin(), on any thread, when the client's execution context has ended. The handler must
    // complete, not be destroyed: it may run in another execution context, where a coroutine would wait for ever.
    virtual void abandon() { complete(errc::client_stopped, Results()...); }

    // The name of the lock with which the text of an error begins; empty: the operation concerns no lock.
    virtual std::string_view subject() const noexcept { return {}; }

    bool is_complete() const noexcept { return !handler_; }

    // Posts the handler. It is moved out first, so that the operation, which may exist for longer, no longer owns the
    // user's objects or outstanding work. The handler may own the cancellation signal, whose slot owns this operation:
    // moving the handler out ends that cycle. Not always on the strand, which would end the process without memory, too.
    void complete(described_error ec, Results... results)
    {
        core::run_or_end([&] {
            if (ec && is_diagnosed_ && !subject().empty())
                ec = named(ec, subject());
            post_completion<Results...>(
                std::exchange(executor_, {}),
                is_associated_,
                std::exchange(handler_, {}),
                std::move(ec),
                std::move(results)...);
        });
    }

    // The end of the operation: completes it, unless it was completed earlier, and retires it.
    void finish(described_error ec, Results... results)
    {
        if (!is_complete())
            complete(std::move(ec), std::move(results)...);
        retire();
    }

    // Gives up the operation's reference to itself. Precondition: the engine does not refer to it any more. It may be
    // destroyed by this call.
    void retire() noexcept { intrusive_ptr_release(static_cast<engine::request*>(this)); }

private:
    friend class cancellation<operation>;

    // The operation may have completed while the message was in the mailbox.
    void cancelled(engine::client_engine& c)
    {
        if (!is_complete())
            cancel(c);
    }

    void deliver(engine::client_engine& c) final
    {
        boost::intrusive_ptr<operation> const keep(this);  // begin() may complete and retire it
        begin(c);
    }
    void discard() noexcept final
    {
        // The client's context has ended, so no handler can be dispatched from there.
        if (!is_associated_)
            executor_ = asio::system_executor();
        abandon();
        retire();
    }

    asio::any_completion_handler<void(described_error, Results...)> handler_;
    asio::any_io_executor executor_;  // of the handler, else of the client
    bool is_associated_;
    bool is_diagnosed_;                 // the handler wants the text of an error
    std::weak_ptr<client_state> home_;  // weak: the client's engine refers to pending operations, and would own itself
    cancellation<operation> cancellation_{*this};
};

// Makes an operation and launches it. If the client's execution context has ended, it is abandoned.
template <class Operation, class Handler, class... Arguments>
void launch(std::shared_ptr<client_state> const& c, Handler h, Arguments&&... arguments)
{
    Operation::launch(
        boost::intrusive_ptr<Operation>(new Operation(std::move(h), c, std::forward<Arguments>(arguments)...)), *c);
}

// The same for an operation on a client that may have been destroyed: then no strand exists on which it could begin, so
// the handler completes here.
template <class Operation, class... Results, class... Arguments>
void launch_if_exists(
    std::weak_ptr<client_state> const& of, handler_at<void(error_code, Results...)> h, Arguments&&... arguments)
{
    if (auto const c = of.lock())
        launch<Operation>(c, std::move(h), std::forward<Arguments>(arguments)...);
    else
        complete_early<Results...>(std::move(h), errc::client_stopped, Results()...);
}

}  // namespace holdfast::detail

#endif
