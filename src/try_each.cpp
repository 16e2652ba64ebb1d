//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "try_each.hpp"

#include <atomic>
#include <cstddef>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/strand.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "composite.hpp"
#include "core/recycled.hpp"
#include "engine/contender.hpp"
#include "engine/context.hpp"
#include "lock_query.hpp"
#include "lock_state.hpp"
#include "operation.hpp"

namespace holdfast::detail {
namespace {

class joint_try;

// The attempt on a lock of one server: contends directly, without a handler of its own.
class single_try final : public core::recycled<single_try>, public engine::contender {
public:
    single_try(boost::intrusive_ptr<joint_try> all, std::size_t place, std::weak_ptr<client_state> home, wish w)
        : contender(std::move(w)), all_(std::move(all)), place_(place), home_(std::move(home))
    {}

    std::shared_ptr<client_state> home() const noexcept { return home_.lock(); }
    // Any thread.
    void ask_to_cancel() noexcept;

    void granted(boost::intrusive_ptr<engine::tenure> t) override { end({}, lease_access::make(std::move(t))); }
    void busy() override { end({}, lease()); }
    void failed(error_code ec) override { end(ec, lease()); }

private:
    struct cancellation final : engine::letter {
        explicit cancellation(single_try& t) noexcept : of(t) {}
        void deliver(engine::context& c) override
        {
            boost::intrusive_ptr<single_try> const keep(&of, false);
            if (of.is_queued())
                c.leave(of, asio::error::operation_aborted);
            else
                of.end(asio::error::operation_aborted, lease());
        }
        void discard() noexcept override { intrusive_ptr_release(static_cast<engine::request*>(&of)); }

        single_try& of;
    };

    void deliver(engine::context&) override;
    void discard() noexcept override { auto const all = std::move(all_); }
    void end(error_code, lease);

    boost::intrusive_ptr<joint_try> all_;  // until it ended
    std::size_t place_;
    std::weak_ptr<client_state> home_;
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

    // Any thread, perhaps from inside the engine.
    void end(std::size_t place, error_code ec, lease got)
    {
        ends_[place] = {ec, std::move(got)};
        count_down();
    }

private:
    // On its way to where the handler is called.
    struct completion {
        boost::intrusive_ptr<joint_try> of;
        bool is_there;

        void operator()()
        {
            if (is_there)
                return of->call();
            auto const executor = asio::get_associated_executor(of->to_.handler, asio::system_executor());
            is_there = true;
            asio::dispatch(executor, std::move(*this));
        }
    };

    void add(std::size_t place, try_each_launch const&);
    void add_single(std::size_t place, lock_state const&, try_each_launch const&);
    void send();
    void cancel();
    void count_down();
    void call();

    attempts_handler to_;
    attempt_ends ends_;
    std::atomic<std::size_t> left_;
    std::atomic<bool> cancelled_ = false;
    std::vector<boost::intrusive_ptr<single_try>> singles_;
    std::vector<std::shared_ptr<nested_try>> nested_;
};

// ---- one of them

void single_try::deliver(engine::context& c)
{
    boost::intrusive_ptr<single_try> const keep(this);
    if (all_)
        c.join(*this);
}

// What comes after a cancellation dies here, and that releases it.
void single_try::end(error_code ec, lease got)
{
    if (auto const all = std::move(all_))
        all->end(place_, ec, std::move(got));
}

void single_try::ask_to_cancel() noexcept
{
    auto const client = home();
    if (!client)
        return;
    intrusive_ptr_add_ref(static_cast<engine::request*>(this));
    client->send(cancellation_);
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
    send();
    count_down();
}

void joint_try::add(std::size_t place, try_each_launch const& what)
{
    auto const& lock = what.locks[place];
    auto const home = lock->home();
    if (auto const* one = dynamic_cast<lock_state const*>(lock.get()))
        add_single(place, *one, what);
    else if (home && home->executor()) {
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
    singles_.emplace_back(new single_try(this, place, home, std::move(wish)));
}

// Each client is told once.
void joint_try::send()
{
    std::vector<std::shared_ptr<client_state>> clients;
    for (auto const& t : singles_)
        if (auto c = t->home(); c && c->put(*t))
            clients.push_back(std::move(c));
    for (auto const& c : clients)
        c->collect();
}

void joint_try::cancel()
{
    if (cancelled_.exchange(true))
        return;
    for (auto const& t : singles_)
        t->ask_to_cancel();
    for (auto const& t : nested_)
        t->ask_to_cancel();
}

void joint_try::count_down()
{
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1)
        asio::post(std::exchange(to_.at.executor, {}), completion{this, to_.at.is_associated});
}

// A cancellation counts until the handler is called.
void joint_try::call()
{
    asio::get_associated_cancellation_slot(to_.handler).clear();
    error_code const ec = is_cancelled() ? asio::error::operation_aborted : error_code();
    auto handler = std::move(to_.handler);
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
