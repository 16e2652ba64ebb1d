//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/try_each.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "client/cancellation.hpp"
#include "composite/client_batch.hpp"
#include "composite/composite_lock.hpp"
#include "composite/limit.hpp"
#include "core/memory_end.hpp"
#include "core/pooled.hpp"
#include "engine/acquire/contender.hpp"
#include "engine/port/strand.hpp"
#include "operations/lock_query.hpp"
#include "operations/operation.hpp"
#include "operations/single_lock.hpp"

namespace holdfast::detail {
namespace {

using namespace std::chrono_literals;
using handler_type = decltype(attempts_handler::handler);

// An attempt on a member that is a composite lock itself. A cancellation signal is not thread-safe: it is emitted on
// the strand that also runs the completion of the nested acquire.
class nested_try final : public std::enable_shared_from_this<nested_try> {
public:
    nested_try(asio::any_io_executor const& e, std::size_t place) : strand_(engine::strand(e)), place_(place) {}

    void start(try_each_request const&, boost::intrusive_ptr<attempts>);
    // Thread-safe. The posted function keeps the signal alive.
    void request_cancellation()
    {
        asio::post(strand_, [self = shared_from_this()] { self->signal_.emit(asio::cancellation_type::total); });
    }

private:
    asio::any_io_executor const strand_;
    std::size_t const place_;
    asio::cancellation_signal signal_;
    diagnostics text_;  // of the nested acquire
};

// Counts the results, which arrive on the strands of the locks' clients. It completes when all attempts are launched and
// its wait is over: a result may arrive while launch() still starts the other attempts, and the handler may destroy the
// list of locks that launch() reads.
//
// The wait is over after the last result, or the one after which the collector has enough; or, after a cancellation or
// the limit, when the attempts on composite locks have ended. Results that arrive later go to the collector, or are
// destroyed, which releases a lease.
class batch_try final : public core::pooled<batch_try>, public attempts {
public:
    batch_try(attempts_handler to, lock_list const& locks, std::shared_ptr<collector> into)
        : to_(std::move(to)), into_(std::move(into)), ends_(into_ ? 0 : locks.size()), left_(locks.size())
    {
        for (auto& e : ends_)
            e.ec = errc::unavailable;
        for (auto const& l : locks)
            is_nested_.push_back(l->parts() != nullptr);
        nested_left_ = static_cast<std::size_t>(std::ranges::count(is_nested_, true));
        to_.at.executor = asio::prefer(std::move(to_.at.executor), asio::execution::outstanding_work.tracked);
    }

    void launch(try_each_request const&);

    void end(std::size_t place, described_error, lease got) override;
    void call_off() noexcept override;

private:
    // Prepares the attempt on one lock, by its kind.
    struct beginning final : lock_visitor {
        beginning(batch_try& of, std::size_t at, try_each_request const& w) noexcept : all(of), place(at), what(w) {}
        void visit(single_lock const& l) override { all.add_single(place, l, what); }
        void visit(multi_lock_impl const&) override { all.add_nested(place); }
        void visit(red_lock_impl const&) override { all.add_nested(place); }

        batch_try& all;
        std::size_t place;
        try_each_request const& what;
    };

    void add_single(std::size_t place, single_lock const&, try_each_request const&);
    void add_nested(std::size_t place);
    void start(try_each_request const&);
    client_batch& batch_of(std::shared_ptr<client_state> const&, bool all_or_none);
    void cancel();
    void complete_if_over();
    void call(handler_type);

    attempts_handler to_;
    std::shared_ptr<collector> const into_;
    std::atomic<bool> is_cancelled_ = false;
    std::atomic<bool> is_called_off_ = false;
    // Written by launch(). Other functions read them after it.
    std::vector<boost::intrusive_ptr<client_batch>> batches_;
    std::vector<std::shared_ptr<nested_try>> nested_;  // until the handler is called; then with the mutex
    std::vector<bool> is_nested_;                      // by place
    std::weak_ptr<limit> limit_;                       // null: the attempts keep their limit. It owns this object

    std::mutex mutex_;          // protects the members below
    attempt_ends ends_;         // until it is complete
    std::size_t left_;          // results that are missing
    std::size_t nested_left_;   // those of composite locks
    bool is_launched_ = false;  // all attempts are under way
    bool is_decided_ = false;   // the collector has enough
    bool is_complete_ = false;  // the handler was posted
};

// A nested acquire takes its limit in milliseconds. It is rounded down: the member must not take longer than the whole.
// The last part of a millisecond is rounded up: with a limit of zero the member could make no attempt.
void nested_try::start(try_each_request const& what, boost::intrusive_ptr<attempts> all)
{
    auto request = what.request;
    request.wait = 0ms;
    if (what.limit != core::duration::max())
        request.limit = std::max(std::chrono::floor<std::chrono::milliseconds>(what.limit), 1ms);
    auto ended = [all = std::move(all), self = shared_from_this()](error_code ec, lease got) {
        all->end(self->place_, {ec, diagnostics_access::get(self->text_)}, std::move(got));
    };
    auto on_strand = asio::bind_executor(strand_, std::move(ended));
    acquire(
        what.locks[place_],
        request,
        bind_diagnostics(text_, asio::bind_cancellation_slot(signal_.slot(), std::move(on_strand))));
}

// The order matters. The collector gets this object before the first result. All locks are prepared before an attempt is
// started, so that the attempts of one client leave in one message, and that this call throws without memory before
// anything has happened. The slot is assigned before the first result may come: afterwards another thread may call the
// handler.
void batch_try::launch(try_each_request const& what)
{
    if (into_)
        into_->begin(this);
    for (std::size_t i = 0; i < what.locks.size(); ++i) {
        beginning of(*this, i, what);
        what.locks[i]->accept(of);
    }
    on_cancellation(to_.handler, [self = boost::intrusive_ptr(this)] { self->cancel(); });
    core::run_or_end([&] { start(what); });
}

void batch_try::start(try_each_request const& what)
{
    for (auto const& t : nested_)
        t->start(what, this);
    for (auto const& p : batches_)
        p->start();
    auto const here = asio::prefer(to_.at.executor, asio::execution::outstanding_work.untracked);
    bool const is_limited = what.limit != core::duration::max();
    if (auto const g = is_limited ? guard_of(what.clocks, here, what.limit) : guard_of(what.clocks, here)) {
        auto const l = std::make_shared<limit>(
            here, what.clocks, *g, [self = boost::intrusive_ptr(this)](bool has_passed) {
                if (has_passed)
                    self->call_off();
            });
        limit_ = l;
        l->start();
    }
    {
        std::scoped_lock const guard(mutex_);
        is_launched_ = true;
    }
    complete_if_over();
}

// It runs where the handler will, because the contexts of its own clients may end before.
void batch_try::add_nested(std::size_t place)
{
    auto const here = asio::prefer(to_.at.executor, asio::execution::outstanding_work.untracked);
    nested_.push_back(std::make_shared<nested_try>(here, place));
}

// A member of a red_lock must know whether its server replied: without a reply it does not count as busy, because it is
// no evidence of another holder. A multi_lock only needs to know that the member is not held.
void batch_try::add_single(std::size_t place, single_lock const& lock, try_each_request const& what)
{
    auto const home = lock.home();
    if (auto const ec = precondition_error(lock, home))
        return end(place, ec, lease());
    engine::contender::wish wish{
        .lock = lock_of(lock),
        .owner = lock.owner,
        .terms = to_terms(what.request, home->options()),
        .wait = core::duration::zero(),
        .limit = what.limit,
        .needs_answer = !what.all_or_none,
        .tries_again = what.request.wait != 0ms,
        .requires_connection = what.request.require_connection};
    batch_of(home, what.all_or_none).add(this, place, std::move(wish));
}

client_batch& batch_try::batch_of(std::shared_ptr<client_state> const& client, bool all_or_none)
{
    auto const found = std::ranges::find_if(batches_, [&](auto const& p) { return p->is_of(client); });
    if (found != batches_.end())
        return **found;
    return *batches_.emplace_back(new client_batch(client, all_or_none));
}

void batch_try::cancel()
{
    is_cancelled_.store(true, std::memory_order_relaxed);
    call_off();
}

// Once, because a batch has only one message for it. The attempts end with operation_aborted, which those of clients
// that stand still do not report before they run again.
void batch_try::call_off() noexcept
{
    if (is_called_off_.exchange(true))
        return;
    for (auto const& p : batches_)
        p->request_cancellation();
    core::run_or_end([this] {
        std::vector<std::shared_ptr<nested_try>> nested;
        {
            std::scoped_lock const guard(mutex_);
            nested = nested_;
        }
        for (auto const& t : nested)
            t->request_cancellation();
        complete_if_over();
    });
}

// A result that comes too late is destroyed without the mutex: a lease among them sends its release.
void batch_try::end(std::size_t place, described_error ec, lease got)
{
    attempt_end late{std::move(ec), std::move(got)};
    bool const suffices = into_ && into_->take(place, std::move(late));
    {
        std::scoped_lock const guard(mutex_);
        if (!into_ && !is_complete_)
            ends_[place] = std::move(late);
        --left_;
        nested_left_ -= is_nested_[place];
        is_decided_ |= suffices;
    }
    complete_if_over();
}

void batch_try::complete_if_over()
{
    {
        std::scoped_lock const guard(mutex_);
        bool const is_over = left_ == 0 || is_decided_ || (is_called_off_ && nested_left_ == 0);
        if (!is_launched_ || !is_over || std::exchange(is_complete_, true))
            return;
    }
    auto handler = std::move(to_.handler);  // ends a cycle: it may own the signal whose slot refers to this object
    auto finish = [of = boost::intrusive_ptr(this)](handler_type h) { of->call(std::move(h)); };
    delivery<handler_type, decltype(finish)>::post(
        std::exchange(to_.at.executor, {}), to_.at.is_associated, std::move(handler), std::move(finish));
}

// Runs on the handler's executor. A cancellation takes effect until the handler is called. The handler then receives
// operation_aborted and the leases that were granted, and destroys them. What the limit has called off is unavailable:
// as operation_aborted it would show nothing, and the round would seem busy.
void batch_try::call(handler_type handler)
{
    asio::get_associated_cancellation_slot(handler).clear();
    if (auto const l = limit_.lock())
        l->cancel();
    {
        std::scoped_lock const guard(mutex_);
        nested_.clear();  // their strand must not outlive the handler's execution context; late results own this object
    }
    error_code const ec = is_cancelled_ ? asio::error::operation_aborted : error_code();
    auto ends = std::move(ends_);
    if (is_called_off_ && !ec)
        for (auto& e : ends)
            if (e.ec.code == asio::error::operation_aborted)
                e.ec = errc::unavailable;
    std::move(handler)(ec, std::move(ends));
}

}  // namespace

void start_try_each(attempts_handler h, try_each_request what)
{
    boost::intrusive_ptr<batch_try> const all(new batch_try(std::move(h), what.locks, what.into));
    all->launch(what);
}

}  // namespace holdfast::detail
