//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/virtual_world.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "support/process.hpp"

namespace holdfast::test {

virtual_world::virtual_world(world_options o) : options_(o), chance_(o.seed), trace_(o.trace)
{
    start_process("main");
}

// Handlers that are left may post others while they are destroyed, and refer to processes and services.
virtual_world::~virtual_world()
{
    closing_ = true;
    events_.clear();
    std::exchange(ready_, {});
    for (auto const& p : processes_) {
        std::exchange(p->held_, {});
        std::exchange(p->at_kill_, {});
    }
    shutdown();
    signals_.clear();
    destroy();
}

process& virtual_world::start_process(std::string name)
{
    return *processes_.emplace_back(std::make_unique<process>(*this, std::move(name), chance_.next()));
}

virtual_executor virtual_world::get_executor() noexcept
{
    return main().get_executor();
}

void virtual_world::enqueue(process& p, task t)
{
    if (std::this_thread::get_id() != thread_) {
        std::fputs("virtual_world: entered from another thread; an asio timer or socket in a simulation?\n", stderr);
        std::abort();
    }
    if (closing_)
        return;
    if (p.paused_ || p.dead_)
        p.held_.push_back(std::move(t));
    else
        ready_.push_back({&p, std::move(t)});
}

virtual_world::event virtual_world::at(core::instant when, std::function<void()> f)
{
    auto const e = event(std::max(when, now_), ++last_event_);
    if (!closing_)
        events_.emplace(e, std::move(f));
    return e;
}

void virtual_world::run()
{
    while (step(core::never)) {}
}

bool virtual_world::run_for(core::duration d)
{
    auto const limit = now_ + d;
    while (step(limit)) {}
    now_ = limit;
    return !events_.empty();
}

virtual_world::ready virtual_world::take()
{
    if (!options_.fifo && ready_.size() > 1)
        std::swap(ready_.front(), ready_[chance_.below(ready_.size())]);
    auto next = std::move(ready_.front());
    ready_.pop_front();
    return next;
}

// Runs one handler, or advances time to the next event. A process may have been paused or killed since its handler
// became ready.
bool virtual_world::step(core::instant limit)
{
    if (ready_.empty())
        return advance(limit);
    if (++steps_ > options_.max_steps)
        throw std::runtime_error(
            "virtual_world: not at its end after " + std::to_string(options_.max_steps)
            + " handlers, probably a livelock");
    auto next = take();
    if (next.in->paused_ || next.in->dead_) {
        next.in->held_.push_back(std::move(next.what));
        return true;
    }
    struct scope {
        process*& running;
        ~scope() { running = nullptr; }
    } const inside{running_};
    running_ = next.in;
    next.what();
    return true;
}

bool virtual_world::advance(core::instant limit)
{
    if (events_.empty() || events_.begin()->first.first > limit)
        return false;
    auto due = events_.extract(events_.begin());
    now_ = due.key().first;
    due.mapped()();
    return true;
}

}  // namespace holdfast::test
