//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/process.hpp"

#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

namespace holdfast::test {

namespace asio = boost::asio;
using boost::system::error_code;

boost::asio::execution_context& virtual_executor::query(asio::execution::context_t) const noexcept
{
    return process_->world();
}

virtual_world& virtual_executor::context() const noexcept
{
    return process_->world();
}

bool virtual_executor::is_inside() const noexcept
{
    auto const& world = process_->world();
    return world.options().inline_dispatch && world.running_ == process_;
}

void virtual_executor::post(task t) const
{
    process_->world().enqueue(*process_, std::move(t));
}

void virtual_executor::track(bool yes) noexcept
{
    if (yes == std::exchange(tracked_, yes))
        return;
    process_->unfinished_ += yes ? 1 : std::size_t(-1);
    process_->world().unfinished_ += yes ? 1 : std::size_t(-1);
}

void process::set_clock_drift(double share) noexcept
{
    local_at_drift_ = local_time(world_.now());
    drift_since_ = world_.now();
    clock_drift_ = share;
}

namespace {

core::duration scaled(core::duration d, double factor)
{
    return core::duration(static_cast<core::duration::rep>(static_cast<double>(d.count()) * factor));
}

}  // namespace

core::instant process::local_time(core::instant world) const noexcept
{
    auto const passed = world - drift_since_;
    return clock_drift_ == 0 && local_at_drift_ == drift_since_
               ? world
               : local_at_drift_ + passed + scaled(passed, clock_drift_);
}

// Rounded up: an alarm must not occur before its time.
core::instant process::world_time(core::instant local) const noexcept
{
    auto const passed = local - local_at_drift_;
    return clock_drift_ == 0 && local_at_drift_ == drift_since_
               ? local
               : drift_since_ + scaled(passed, 1 / (1 + clock_drift_)) + std::chrono::microseconds(1);
}

void process::pause()
{
    paused_ = true;
}

void process::pause_for(core::duration d)
{
    pause();
    world_.at(world_.now() + d, [this] { resume(); });
}

void process::resume()
{
    if (dead_ || !std::exchange(paused_, false))
        return;
    for (auto& t : std::exchange(held_, {}))
        world_.enqueue(*this, std::move(t));
}

void process::kill()
{
    if (std::exchange(dead_, true))
        return;
    world_.trace().is_on() ? world_.trace().add(world_.now(), name_, "is killed") : void();
    for (auto const& f : std::exchange(at_kill_, {}))
        f();
}

namespace {

// A sleep under way, shared by its event and its cancellation slot.
struct nap {
    asio::any_completion_handler<void(error_code)> handler;
    virtual_world::event alarm = {};
    asio::executor_work_guard<asio::any_io_executor> work;

    void end(error_code ec)
    {
        if (!handler)
            return;
        asio::post(work.get_executor(), asio::append(std::move(handler), ec));
        handler = nullptr;
        work.reset();
    }
};

}  // namespace

void process::start_sleep(sleeper h, core::duration d)
{
    auto const n = std::make_shared<nap>(
        nap{std::move(h), {}, asio::executor_work_guard<asio::any_io_executor>(get_executor())});
    n->alarm = world_.at(world_.now() + d, [n] { n->end({}); });
    auto slot = asio::get_associated_cancellation_slot(n->handler);
    if (slot.is_connected())
        slot.assign([this, weak = std::weak_ptr(n)](asio::cancellation_type type) {
            auto const sleeping = weak.lock();
            if (type == asio::cancellation_type::none || !sleeping)
                return;
            world_.cancel(sleeping->alarm);
            sleeping->end(asio::error::operation_aborted);
        });
}

}  // namespace holdfast::test
