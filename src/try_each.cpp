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
#include <boost/container/small_vector.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "composite.hpp"
#include "core/recycled.hpp"
#include "engine/contender.hpp"
#include "engine/context.hpp"
#include "engine/joint_attempt.hpp"
#include "lock_query.hpp"
#include "lock_state.hpp"
#include "operation.hpp"

namespace holdfast::detail {
namespace {

class joint_try;
using handler_type = decltype(attempts_handler::handler);

// The attempt on a lock of one server: contends directly, without a handler of its own.
class single_try final : public core::recycled<single_try>, public engine::contender {
public:
    single_try(boost::intrusive_ptr<joint_try> all, std::size_t place, wish w)
        : contender(std::move(w)), all_(std::move(all)), place_(place)
    {}

    bool is_over() const noexcept { return !all_; }
    bool is_had() const noexcept { return is_had_; }
    void give_up(engine::context&);
    // The client is gone.
    void forget() noexcept;

    void granted(boost::intrusive_ptr<engine::tenure> t) override
    {
        is_had_ = true;
        end({}, lease_access::make(std::move(t)));
    }
    void busy() override { end({}, lease()); }
    void failed(error_code ec) override { end(ec, lease()); }

private:
    // Its party travels for it.
    void deliver(engine::context&) override {}
    void discard() noexcept override {}
    void end(error_code, lease);

    boost::intrusive_ptr<joint_try> all_;  // until it ended
    std::size_t place_;
    bool is_had_ = false;
};

// The attempts on locks of one client.
class party final : public core::recycled<party>, public engine::request {
public:
    party(std::shared_ptr<client_state> const& home, bool all_or_none) : home_(home), all_or_none_(all_or_none) {}

    bool is_of(std::shared_ptr<client_state> const& client) const noexcept
    {
        return !home_.owner_before(client) && !client.owner_before(home_);
    }
    void add(boost::intrusive_ptr<single_try> t) { tries_.push_back(std::move(t)); }
    // Any thread.
    void start() noexcept;
    void ask_to_cancel() noexcept;

private:
    struct cancellation final : engine::letter {
        explicit cancellation(party& p) noexcept : of(p) {}
        void deliver(engine::context& c) override
        {
            boost::intrusive_ptr<party> const keep(&of, false);
            of.give_up(c);
        }
        void discard() noexcept override { intrusive_ptr_release(static_cast<engine::request*>(&of)); }

        party& of;
    };

    void post(engine::letter&) noexcept;
    void deliver(engine::context&) override;
    void discard() noexcept override;
    void join_together(engine::context&);
    void give_up(engine::context&);

    std::weak_ptr<client_state> home_;
    bool all_or_none_;
    boost::container::small_vector<boost::intrusive_ptr<single_try>, 8> tries_;
    cancellation cancellation_{*this};
};

// The attempt on a lock that is several itself.
class nested_try final : public std::enable_shared_from_this<nested_try> {
public:
    explicit nested_try(asio::any_io_executor const& e) : strand_(asio::make_strand(e)) {}

    void start(
        std::shared_ptr<lockable const> const&, acquire_request const&, boost::intrusive_ptr<joint_try>, std::size_t);
    void ask_to_cancel()
    {
        asio::post(strand_, [self = shared_from_this()] { self->signal_.emit(asio::cancellation_type::total); });
    }

private:
    asio::strand<asio::any_io_executor> strand_;
    asio::cancellation_signal signal_;
};

// Counts the ends, which come on the strands of the locks' clients. The last one completes.
class joint_try final : public core::recycled<joint_try>,
                        public boost::intrusive_ref_counter<joint_try, boost::thread_safe_counter> {
public:
    joint_try(attempts_handler to, std::size_t count) : to_(std::move(to)), ends_(count), left_(count + 1)
    {
        to_.at.executor = asio::prefer(std::move(to_.at.executor), asio::execution::outstanding_work.tracked);
    }

    void launch(try_each_launch const&);
    bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

    // A client is gone, and with it whoever waits for this: there will be no last end.
    void forget() noexcept;
    // Any thread, perhaps from inside the engine.
    void end(std::size_t place, error_code ec, lease got)
    {
        ends_[place] = {ec, std::move(got)};
        count_down();
    }

private:
    // On its way to where the handler is called. It has the handler: whoever destroys it before destroys both.
    struct completion {
        boost::intrusive_ptr<joint_try> of;
        handler_type handler;
        bool is_there;

        void operator()()
        {
            if (is_there)
                return of->call(std::move(handler));
            auto const executor = asio::get_associated_executor(handler, asio::system_executor());
            is_there = true;
            asio::dispatch(executor, std::move(*this));
        }
    };

    void add(std::size_t place, try_each_launch const&);
    void add_single(std::size_t place, lock_state const&, try_each_launch const&);
    party& party_of(std::shared_ptr<client_state> const&, bool all_or_none);
    void cancel();
    void count_down();
    void call(handler_type);

    attempts_handler to_;
    attempt_ends ends_;
    std::atomic<std::size_t> left_;
    std::atomic<bool> cancelled_ = false;
    std::atomic<bool> is_forgotten_ = false;
    std::vector<boost::intrusive_ptr<party>> parties_;
    std::vector<std::shared_ptr<nested_try>> nested_;
};

// ---- one of them

void single_try::give_up(engine::context& c)
{
    if (is_queued())
        c.leave(*this, asio::error::operation_aborted);
    else
        end(asio::error::operation_aborted, lease());
}

void single_try::forget() noexcept
{
    if (auto const all = std::move(all_))
        all->forget();
}

// What comes after a cancellation dies here, and that releases it.
void single_try::end(error_code ec, lease got)
{
    if (auto const all = std::move(all_))
        all->end(place_, ec, std::move(got));
}

// ---- those of one client

void party::start() noexcept
{
    post(*this);
}

void party::ask_to_cancel() noexcept
{
    post(cancellation_);
}

void party::post(engine::letter& l) noexcept
{
    if (auto const client = home_.lock()) {
        intrusive_ptr_add_ref(static_cast<engine::request*>(this));
        client->send(l);
    }
}

void party::deliver(engine::context& c)
{
    boost::intrusive_ptr<party> const keep(this, false);
    if (all_or_none_ && tries_.size() > 1)
        return join_together(c);
    for (auto const& t : tries_)
        if (!t->is_over())
            c.join(*t);
}

void party::join_together(engine::context& c)
{
    boost::intrusive_ptr<engine::joint_attempt> const all(new engine::joint_attempt(c));
    auto const is_missed = [](auto const& t) { return t->is_over() && !t->is_had(); };
    for (auto const& t : tries_)
        if (!t->is_over() && std::ranges::none_of(tries_, is_missed)) {
            t->company = all.get();
            c.join(*t);
        }
    for (auto const& t : tries_)
        t->company = nullptr;
    if (std::ranges::none_of(tries_, is_missed))
        return all->send();
    all->call_off();
    give_up(c);
}

void party::give_up(engine::context& c)
{
    for (auto const& t : tries_)
        t->give_up(c);
}

void party::discard() noexcept
{
    boost::intrusive_ptr<party> const keep(this, false);
    for (auto const& t : tries_)
        t->forget();
}

void nested_try::start(
    std::shared_ptr<lockable const> const& lock,
    acquire_request const& request,
    boost::intrusive_ptr<joint_try> all,
    std::size_t place)
{
    auto ended = [all = std::move(all), place](error_code ec, lease got) { all->end(place, ec, std::move(got)); };
    acquire(
        lock, request, asio::bind_cancellation_slot(signal_.slot(), asio::bind_executor(strand_, std::move(ended))));
}

// ---- all of them

void joint_try::launch(try_each_launch const& what)
{
    for (std::size_t i = 0; i < what.locks.size(); ++i)
        add(i, what);
    if (auto slot = asio::get_associated_cancellation_slot(to_.handler); slot.is_connected())
        slot.assign([self = boost::intrusive_ptr(this)](asio::cancellation_type_t type) {
            if (type != asio::cancellation_type::none)
                self->cancel();
        });
    for (auto const& p : parties_)
        p->start();
    count_down();
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
        .limit = what.limit};
    party_of(home, what.all_or_none).add(new single_try(this, place, std::move(wish)));
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

// The handler may own the cancellation signal whose slot refers to us.
void joint_try::forget() noexcept
{
    if (!is_forgotten_.exchange(true))
        auto const gone = std::move(to_.handler);
}

void joint_try::count_down()
{
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1)
        asio::post(std::exchange(to_.at.executor, {}), completion{this, std::move(to_.handler), to_.at.is_associated});
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
    boost::intrusive_ptr<joint_try> const all(new joint_try(std::move(h), locks.size()));
    all->launch(*this);
}

}  // namespace holdfast::detail
