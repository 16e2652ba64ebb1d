//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CANCELLATION_HPP
#define HOLDFAST_CANCELLATION_HPP

#include <atomic>
#include <utility>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "engine/port/request.hpp"

namespace holdfast::detail {

// Calls the function when the operation of this handler is cancelled, by a cancellation of any type, on the thread that
// emits it. The slot owns the function, which should own what it uses: a cancellation signal may outlive the operation.
template <class Handler, class Function>
void on_cancellation(Handler const& h, Function f)
{
    if (auto slot = boost::asio::get_associated_cancellation_slot(h); slot.is_connected())
        slot.assign([f = std::move(f)](boost::asio::cancellation_type_t type) mutable {
            if (type != boost::asio::cancellation_type::none)
                f();
        });
}

// The message that cancels a request on the strand: it calls cancelled(), unless the client has ended. A member of the
// request, so it needs no memory, and it is delivered later, so that the engine allocates nothing in the function that
// cancels. It has a reference to the request while it is in the mailbox.
template <class Request>
class cancellation final : public engine::message {
public:
    explicit cancellation(Request& of) noexcept : of_(of) {}

    // Any thread. Only the first call sends it: a message must not be in the mailbox twice.
    void send_to(engine::inbox& client) noexcept
    {
        if (is_sent_.exchange(true))
            return;
        intrusive_ptr_add_ref(static_cast<engine::request*>(&of_));
        client.post(*this);
    }

private:
    void deliver(engine::client_engine& c) override
    {
        boost::intrusive_ptr<engine::request> const keep(&of_, false);
        of_.cancelled(c);
    }
    void discard() noexcept override { intrusive_ptr_release(static_cast<engine::request*>(&of_)); }

    Request& of_;
    std::atomic<bool> is_sent_ = false;
};

}  // namespace holdfast::detail

#endif
