//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/try_each.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/strand.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "client/cancellation.hpp"
#include "composite/client_batch.hpp"
#include "composite/composite_lock.hpp"
#include "core/pooled.hpp"
#include "engine/acquire/contender.hpp"
#include "operations/lock_query.hpp"
#include "operations/operation.hpp"
#include "operations/single_lock.hpp"

namespace holdfast::detail {
namespace {

using handler_type = decltype(attempts_handler::handler);

// An attempt on a member that is a composite lock itself. A cancellation signal is not thread-safe: it is emitted on
// the strand that also runs the completion of the nested acquire.
class nested_try final : public std::enable_shared_from_this<nested_try> {
public:
    explicit nested_try(asio::any_io_executor const& e) : strand_(asio::make_strand(e)) {}

    void start(
        std::shared_ptr<lock_impl const> const&, acquire_request const&, boost::intrusive_ptr<attempts>, std::size_t);
    // Thread-safe. The posted function keeps the signal alive.
    void request_cancellation()
    {
        asio::post(strand_, [self = shared_from_this()] { self->signal_.emit(asio::cancellation_type::total); });
    }

private:
    asio::strand<asio::any_io_executor> strand_;
    asio::cancellation_signal signal_;
    diagnostics text_;  // of the nested acquire
};

// Counts the results, which arrive on the strands of the locks' clients. It is settled by the last result, or by
// the one after which the collector has enough. It completes when it is settled and all attempts are launched: a
// result may arrive while launch() still starts the other attempts, and the handler may destroy the list of
// locks that launch() reads.
class batch_try final : public core::pooled<batch_try>, public attempts {
public:
    batch_try(attempts_handler to, std::size_t count, std::shared_ptr<collector> into)
        : to_(std::move(to)),
          into_(std::move(into)),
          ends_(into_ ? 0 : count),
          left_(static_cast<std::ptrdiff_t>(count))
    {
        to_.at.executor = asio::prefer(std::move(to_.at.executor), asio::execution::outstanding_work.tracked);
    }

    void launch(try_each_launch const&);
    bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

    void end(std::size_t place, described_error, lease got) override;
    void call_off() noexcept override { cancel(); }

private:
    // Prepares or starts the attempt on one lock, by its kind.
    struct beginning final : lock_visitor {
        beginning(batch_try& of, std::size_t at, try_each_launch const& w) noexcept : all(of), place(at), what(w) {}
        void visit(single_lock const& l) override { all.add_single(place, l, what); }
        void visit(multi_lock_impl const&) override { all.add_nested(place, what); }
        void visit(red_lock_impl const&) override { all.add_nested(place, what); }

        batch_try& all;
        std::size_t place;
        try_each_launch const& what;
    };

    void add_single(std::size_t place, single_lock const&, try_each_launch const&);
    void add_nested(std::size_t place, try_each_launch const&);
    client_batch& batch_of(std::shared_ptr<client_state> const&, bool all_or_none);
    void cancel();
    // The missing results do not count any more. Returns false if it was settled before. Later results make left_
    // negative, so that none of them settles it again.
    bool settle() noexcept { return left_.exchange(0, std::memory_order_acq_rel) > 0; }
    void finish_step();
    void call(handler_type);

    attempts_handler to_;
    std::shared_ptr<collector> const into_;
    attempt_ends ends_;
    std::atomic<std::ptrdiff_t> left_;  // results that are missing; zero or negative: it is settled
    std::atomic<int> steps_left_ = 2;   // launched and settled: the last of the two events calls the handler
    std::atomic<bool> cancelled_ = false;
    // Written by launch(). cancel() reads them, and must not be called before launch() has returned.
    std::vector<boost::intrusive_ptr<client_batch>> batches_;
    std::vector<std::shared_ptr<nested_try>> nested_;
};

void nested_try::start(
    std::shared_ptr<lock_impl const> const& lock,
    acquire_request const& request,
    boost::intrusive_ptr<attempts> all,
    std::size_t place)
{
    auto ended = [all = std::move(all), place, self = shared_from_this()](error_code ec, lease got) {
        all->end(place, {ec, diagnostics_access::get(self->text_)}, std::move(got));
    };
    auto on_strand = asio::bind_executor(strand_, std::move(ended));
    acquire(lock, request, bind_diagnostics(text_, asio::bind_cancellation_slot(signal_.slot(), std::move(on_strand))));
}

// The order matters. The slot is assigned before finish_step(): afterwards another thread may call the handler. The
// collector gets this object before the first result. All locks are prepared before a batch is started, so that the
// attempts of one client leave in one message.
void batch_try::launch(try_each_launch const& what)
{
    on_cancellation(to_.handler, [self = boost::intrusive_ptr(this)] { self->cancel(); });
    if (into_)
        into_->begin(this);
    for (std::size_t i = 0; i < what.locks.size(); ++i) {
        beginning of(*this, i, what);
        what.locks[i]->accept(of);
    }
    for (auto const& p : batches_)
        p->start();
    finish_step();
}

// A nested acquire takes its limit in milliseconds. It is rounded down: the member must not take longer than the whole.
// It runs where the handler will, because the contexts of its own clients may end before.
void batch_try::add_nested(std::size_t place, try_each_launch const& what)
{
    auto request = what.request;
    if (what.limit != core::duration::max())
        request.limit = std::chrono::floor<std::chrono::milliseconds>(what.limit);
    nested_.push_back(
        std::make_shared<nested_try>(asio::prefer(to_.at.executor, asio::execution::outstanding_work.untracked)));
    nested_.back()->start(what.locks[place], request, this, place);
}

// A member of a red_lock must know whether its server replied: without a reply it does not count as busy, because it is
// no evidence of another holder. A multi_lock only needs to know that the member is not held.
void batch_try::add_single(std::size_t place, single_lock const& lock, try_each_launch const& what)
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
        .needs_answer = !what.all_or_none};
    batch_of(home, what.all_or_none).add(this, place, std::move(wish));
}

client_batch& batch_try::batch_of(std::shared_ptr<client_state> const& client, bool all_or_none)
{
    auto const found = std::ranges::find_if(batches_, [&](auto const& p) { return p->is_of(client); });
    if (found != batches_.end())
        return **found;
    return *batches_.emplace_back(new client_batch(client, all_or_none));
}

// Once, because a batch has only one message for it. The attempts end with operation_aborted, and the last one of
// them settles this object.
void batch_try::cancel()
{
    if (cancelled_.exchange(true))
        return;
    for (auto const& p : batches_)
        p->request_cancellation();
    for (auto const& t : nested_)
        t->request_cancellation();
}

// Acquire and release: the thread that settles it reads the results that the other threads stored.
void batch_try::end(std::size_t place, described_error ec, lease got)
{
    bool suffices = false;
    if (into_)
        suffices = into_->take(place, {std::move(ec), std::move(got)});
    else
        ends_[place] = {std::move(ec), std::move(got)};
    if (suffices ? settle() : left_.fetch_sub(1, std::memory_order_acq_rel) == 1)
        finish_step();
}

void batch_try::finish_step()
{
    if (steps_left_.fetch_sub(1, std::memory_order_acq_rel) != 1)
        return;
    auto handler = std::move(to_.handler);  // ends a cycle: it may own the signal whose slot refers to this object
    auto finish = [of = boost::intrusive_ptr(this)](handler_type h) { of->call(std::move(h)); };
    delivery<handler_type, decltype(finish)>::post(
        std::exchange(to_.at.executor, {}), to_.at.is_associated, std::move(handler), std::move(finish));
}

// Runs on the handler's executor. A cancellation takes effect until the handler is called. The handler then receives
// operation_aborted and the leases that were granted, and destroys them.
void batch_try::call(handler_type handler)
{
    asio::get_associated_cancellation_slot(handler).clear();
    error_code const ec = is_cancelled() ? asio::error::operation_aborted : error_code();
    auto ends = std::move(ends_);
    std::move(handler)(ec, std::move(ends));
}

}  // namespace

void try_each_launch::start(attempts_handler h) &&
{
    request.wait = std::chrono::milliseconds(0);  // one attempt
    boost::intrusive_ptr<batch_try> const all(new batch_try(std::move(h), locks.size(), into));
    all->launch(*this);
}

}  // namespace holdfast::detail
