//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "try_each.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/strand.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "composite.hpp"
#include "core/recycled.hpp"
#include "engine/contender.hpp"
#include "lock_query.hpp"
#include "lock_state.hpp"
#include "operation.hpp"
#include "party.hpp"

namespace holdfast::detail {
namespace {

using handler_type = decltype(attempts_handler::handler);

// The attempt on a lock that is several itself.
class nested_try final : public std::enable_shared_from_this<nested_try> {
public:
    explicit nested_try(asio::any_io_executor const& e) : strand_(asio::make_strand(e)) {}

    void start(
        std::shared_ptr<lockable const> const&, acquire_request const&, boost::intrusive_ptr<attempts>, std::size_t);
    void ask_to_cancel()
    {
        asio::post(strand_, [self = shared_from_this()] { self->signal_.emit(asio::cancellation_type::total); });
    }

private:
    asio::strand<asio::any_io_executor> strand_;
    asio::cancellation_signal signal_;
};

// Counts the ends, which come on the strands of the locks' clients. The last one settles it, or the one that suffices.
// It completes when it is settled and all are launched: what they are launched from may end with the handler.
class joint_try final : public core::recycled<joint_try>, public attempts {
public:
    joint_try(attempts_handler to, std::size_t count, std::shared_ptr<collector> into)
        : to_(std::move(to)),
          into_(std::move(into)),
          ends_(into_ ? 0 : count),
          left_(static_cast<std::ptrdiff_t>(count))
    {
        to_.at.executor = asio::prefer(std::move(to_.at.executor), asio::execution::outstanding_work.tracked);
    }

    void launch(try_each_launch const&);
    bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

    void end(std::size_t place, error_code, lease got) override;
    void call_off() noexcept override { cancel(); }

private:
    // What is done where the handler is called.
    struct finish {
        boost::intrusive_ptr<joint_try> of;
        void operator()(handler_type handler) { of->call(std::move(handler)); }
    };

    void add(std::size_t place, try_each_launch const&);
    void add_single(std::size_t place, lock_state const&, try_each_launch const&);
    party& party_of(std::shared_ptr<client_state> const&, bool all_or_none);
    void cancel();
    // Whatever is still to come. False: it was settled before.
    bool settle() noexcept { return left_.exchange(0, std::memory_order_acq_rel) > 0; }
    void pass_gate();
    void call(handler_type);

    attempts_handler to_;
    std::shared_ptr<collector> const into_;
    attempt_ends ends_;
    std::atomic<std::ptrdiff_t> left_;  // ends that are waited for; none, or fewer: it is settled
    std::atomic<int> gate_ = 2;         // who passes it last, launched or settled, has the handler
    std::atomic<bool> cancelled_ = false;
    std::vector<boost::intrusive_ptr<party>> parties_;
    std::vector<std::shared_ptr<nested_try>> nested_;
};

void nested_try::start(
    std::shared_ptr<lockable const> const& lock,
    acquire_request const& request,
    boost::intrusive_ptr<attempts> all,
    std::size_t place)
{
    auto ended = [all = std::move(all), place](error_code ec, lease got) { all->end(place, ec, std::move(got)); };
    acquire(
        lock, request, asio::bind_cancellation_slot(signal_.slot(), asio::bind_executor(strand_, std::move(ended))));
}

void joint_try::launch(try_each_launch const& what)
{
    if (auto slot = asio::get_associated_cancellation_slot(to_.handler); slot.is_connected())
        slot.assign([self = boost::intrusive_ptr(this)](asio::cancellation_type_t type) {
            if (type != asio::cancellation_type::none)
                self->cancel();
        });
    if (into_)
        into_->begin(this);
    for (std::size_t i = 0; i < what.locks.size(); ++i)
        add(i, what);
    for (auto const& p : parties_)
        p->start();
    pass_gate();
}

void joint_try::add(std::size_t place, try_each_launch const& what)
{
    auto const& lock = what.locks[place];
    auto const home = lock->home();
    if (auto const* one = dynamic_cast<lock_state const*>(lock.get()))
        add_single(place, *one, what);
    else if (home && home->is_alive()) {
        auto request = what.request;
        if (what.limit != core::duration::max())
            request.limit = std::chrono::floor<std::chrono::milliseconds>(what.limit);
        nested_.push_back(std::make_shared<nested_try>(home->executor()));
        nested_.back()->start(lock, request, this, place);
    } else
        end(place, errc::client_stopped, lease());
}

void joint_try::add_single(std::size_t place, lock_state const& lock, try_each_launch const& what)
{
    auto const home = lock.home();
    if (auto const ec = obstacle(lock, home))
        return end(place, ec, lease());
    engine::contender::wish wish{
        .lock = lock_of(lock),
        .owner = lock.owner,
        .terms = to_terms(what.request, home->options()),
        .wait = core::duration::zero(),
        .limit = what.limit,
        .needs_answer = !what.all_or_none};
    party_of(home, what.all_or_none).add(this, place, std::move(wish));
}

party& joint_try::party_of(std::shared_ptr<client_state> const& client, bool all_or_none)
{
    auto const found = std::ranges::find_if(parties_, [&](auto const& p) { return p->is_of(client); });
    if (found != parties_.end())
        return **found;
    return *parties_.emplace_back(new party(client, all_or_none));
}

void joint_try::cancel()
{
    if (cancelled_.exchange(true))
        return;
    for (auto const& p : parties_)
        p->ask_to_cancel();
    for (auto const& t : nested_)
        t->ask_to_cancel();
}

void joint_try::end(std::size_t place, error_code ec, lease got)
{
    bool suffices = false;
    if (into_)
        suffices = into_->take(place, {ec, std::move(got)});
    else
        ends_[place] = {ec, std::move(got)};
    if (suffices ? settle() : left_.fetch_sub(1, std::memory_order_acq_rel) == 1)
        pass_gate();
}

void joint_try::pass_gate()
{
    if (gate_.fetch_sub(1, std::memory_order_acq_rel) != 1)
        return;
    auto handler = std::move(to_.handler);  // it may own the cancellation signal whose slot refers to us
    delivery<handler_type, finish>::post(
        std::exchange(to_.at.executor, {}), to_.at.is_associated, std::move(handler), finish{this});
}

// A cancellation counts until the handler is called.
void joint_try::call(handler_type handler)
{
    asio::get_associated_cancellation_slot(handler).clear();
    error_code const ec = is_cancelled() ? asio::error::operation_aborted : error_code();
    auto ends = std::move(ends_);
    std::move(handler)(ec, std::move(ends));
}

}  // namespace

void try_each_launch::start(attempts_handler h) &&
{
    request.wait = std::chrono::milliseconds(0);
    boost::intrusive_ptr<joint_try> const all(new joint_try(std::move(h), locks.size(), into));
    all->launch(*this);
}

}  // namespace holdfast::detail
