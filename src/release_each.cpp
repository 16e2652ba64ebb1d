//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "release_each.hpp"

#include <atomic>
#include <memory>
#include <utility>

#include <boost/asio/bind_executor.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "core/recycled.hpp"
#include "engine/context.hpp"
#include "engine/request.hpp"
#include "engine/tenure.hpp"
#include "operation.hpp"
#include "quorum.hpp"

namespace holdfast::detail {
namespace {

// Counts the ends, which come on the strands of the leases' clients.
class release_of_each final : public core::recycled<release_of_each>,
                              public boost::intrusive_ref_counter<release_of_each, boost::thread_safe_counter> {
public:
    release_of_each(handler_at<void(error_code)> to, std::size_t count, std::size_t quorum)
        : to_(std::move(to)), quorum_(quorum), needed_(quorum), left_(count), ends_(count)
    {
        to_.at.executor = asio::prefer(std::move(to_.at.executor), asio::execution::outstanding_work.tracked);
    }

    void listen();
    // Any thread.
    void end(std::size_t place, error_code);

private:
    void complete(error_code);

    handler_at<void(error_code)> to_;
    std::size_t const quorum_;
    std::atomic<std::size_t> needed_;
    std::atomic<std::size_t> left_;
    std::atomic<bool> is_told_ = false;
    std::vector<error_code> ends_;
};

// The release of a lease on one server: leaves its tenure directly, without a handler of its own.
class single_release final : public core::recycled<single_release>,
                             public engine::request,
                             private engine::release_waiter {
public:
    single_release(boost::intrusive_ptr<release_of_each> all, std::size_t place, tenure_ptr t)
        : all_(std::move(all)), place_(place), tenure_(std::move(t))
    {}

private:
    void deliver(engine::context& c) override { c.leave(*tenure_.get(), this); }
    void discard() noexcept override
    {
        // The handler waits on an executor of its own choice, which may go on without this client.
        released(errc::client_stopped);
    }
    void released(error_code ec) override
    {
        boost::intrusive_ptr<single_release> const self(this, false);
        all_->end(place_, ec);
    }

    boost::intrusive_ptr<release_of_each> all_;
    std::size_t place_;
    tenure_ptr tenure_;
};

void release_of_each::listen()
{
    if (auto slot = asio::get_associated_cancellation_slot(to_.handler); slot.is_connected())
        slot.assign([self = boost::intrusive_ptr(this)](asio::cancellation_type_t type) {
            if (type != asio::cancellation_type::none)
                self->complete(asio::error::operation_aborted);
        });
}

void release_of_each::end(std::size_t place, error_code ec)
{
    ends_[place] = ec;
    if (!ec && needed_.fetch_sub(1, std::memory_order_relaxed) == 1)
        complete({});
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1)
        complete(judge(ends_, quorum_));
}

void release_of_each::complete(error_code ec)
{
    if (!is_told_.exchange(true))
        complete_early<>(std::move(to_), ec);
}

// A lease of several ends on the executor of the handler that waits: that of its own clients may end before.
void start(
    boost::intrusive_ptr<release_of_each> const& all, asio::any_io_executor const& at, std::size_t place, lease l)
{
    auto& t = lease_access::tenure_of(l);
    if (!t || t->is_passed_on())
        return l.release(asio::bind_executor(at, [all, place](error_code ec) { all->end(place, ec); }));
    auto const home = t->home().lock();
    if (!home)
        return all->end(place, errc::client_stopped);
    home->send(*boost::intrusive_ptr<single_release>(new single_release(all, place, std::move(t))).detach());
}

}  // namespace

void release_each(std::vector<lease> leases, std::size_t quorum, handler_at<void(error_code)> to)
{
    auto const at = to.at.executor;
    boost::intrusive_ptr<release_of_each> const all(new release_of_each(std::move(to), leases.size(), quorum));
    all->listen();
    for (std::size_t i = 0; i < leases.size(); ++i)
        start(all, at, i, std::move(leases[i]));
}

}  // namespace holdfast::detail
