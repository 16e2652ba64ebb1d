//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/limit.hpp"

#include <utility>

#include <boost/asio/post.hpp>

#include "core/memory_end.hpp"
#include "operations/pause.hpp"

namespace holdfast::detail {

limit::limit(asio::any_io_executor where, client_list const& of, time_limit how, std::function<void(bool)> ended)
    : where_(std::move(where)), rest_(of.begin(), of.end()), how_(how), ended_(std::move(ended))
{}

void limit::start()
{
    for (auto at = rest_.begin(); at != rest_.end(); ++at)
        if (auto const c = at->lock(); c && !c->is_stopped() && c->shares_context_of(where_)) {
            rest_.erase(at);
            return arm({c});
        }
    arm_rest();
}

// The pauses are started without the mutex: that of a client that has stopped ends before start() returns.
void limit::arm(client_list const& at)
{
    std::vector<std::shared_ptr<member_call>> calls;
    for (auto const& c : at)
        calls.push_back(std::make_shared<member_call>(c, asio::any_io_executor()));
    {
        std::scoped_lock const guard(mutex_);
        armed_ += at.size();
        calls_.insert(calls_.end(), calls.begin(), calls.end());
    }
    for (std::size_t i = 0; i < at.size(); ++i)
        calls[i]->start<>(
            pause{at[i], how_.least, how_.spread, how_.until},
            [self = shared_from_this()](described_error const& ec) { self->note_end(!ec); });
    if (at.empty())
        note_end(false);
}

// In the engine of a client. Where it posts to, no strand of the library ends the process without memory.
void limit::note_end(bool has_passed)
{
    std::scoped_lock const guard(mutex_);
    if (where_)
        asio::post(where_, [self = shared_from_this(), has_passed] {
            core::run_or_end([&] { has_passed ? self->end(true) : self->arm_rest(); });
        });
}

// A client has stopped.
void limit::arm_rest()
{
    client_list rest;
    {
        std::scoped_lock const guard(mutex_);
        armed_ -= armed_ > 0;
        for (auto const& of : std::exchange(rest_, {}))
            if (auto c = of.lock())
                rest.push_back(std::move(c));
        if (rest.empty() && armed_ > 0)
            return;
    }
    rest.empty() ? end(false) : arm(rest);
}

void limit::end(bool has_passed)
{
    std::function<void(bool)> ended;
    {
        std::scoped_lock const guard(mutex_);
        ended.swap(ended_);
    }
    cancel();
    if (ended)
        ended(has_passed);
}

// The function is destroyed, and the other deadlines are cancelled, where the coordinator is: not inside an engine.
void limit::cancel()
{
    std::scoped_lock const guard(mutex_);
    rest_.clear();
    auto const where = std::exchange(where_, {});
    if (!where)
        return;
    core::run_or_end([&] {
        asio::post(where, [calls = std::move(calls_), ended = std::move(ended_)] {
            for (auto const& c : calls)
                core::run_or_end([&] { c->cancel(); });
        });
    });
}

}  // namespace holdfast::detail
