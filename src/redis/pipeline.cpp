//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/pipeline.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::redis {
namespace {

// More are under way only when the server is slow; their memory is then given back.
constexpr std::size_t most_spent = 16;

}  // namespace

std::shared_ptr<batch> pipeline::fresh()
{
    if (spent_.empty())
        return std::make_shared<batch>(fault);
    auto b = std::move(spent_.back());
    spent_.pop_back();
    b->clear();
    return b;
}

batch& pipeline::collecting()
{
    if (!collecting_)
        collecting_ = fresh();
    return *collecting_;
}

std::shared_ptr<batch> pipeline::send(core::instant now)
{
    collecting_->seal(now, now + command_timeout_);
    return under_way_.emplace_back(std::exchange(collecting_, nullptr));
}

void pipeline::finish(std::shared_ptr<batch> const& b)
{
    // Nearly always the first. None at all: it was given up with its connection.
    auto const at = std::find(under_way_.begin(), under_way_.end(), b);
    if (at == under_way_.end())
        return;
    under_way_.erase(at);
    if (spent_.size() < most_spent)
        spent_.push_back(b);
}

void pipeline::expire(core::instant now)
{
    // By index: those who are answered may submit, and what they submit may be sent before this ends.
    for (std::size_t i = 0; i < under_way_.size() && under_way_[i]->deadline() <= now; ++i)
        if (!under_way_[i]->is_given_up())
            std::shared_ptr(under_way_[i])->give_up();
}

core::instant pipeline::next_deadline() const noexcept
{
    auto const first = std::find_if(
        under_way_.begin(), under_way_.end(), [](auto const& b) { return !b->is_given_up(); });
    return first == under_way_.end() ? core::never : (*first)->deadline();
}

void pipeline::distrust_all() noexcept
{
    for (auto const& b : under_way_)
        b->distrust();
}

void pipeline::give_up_all(core::instant now)
{
    if (is_collecting())
        send(now);
    distrust_all();
    // They stay in place meanwhile: one who is answered may stop the session, which forgets the rest.
    for (std::size_t i = 0; i < under_way_.size(); ++i)
        under_way_[i]->give_up();
    under_way_.clear();
}

void pipeline::forget_all() noexcept
{
    if (collecting_)
        collecting_->forget();
    for (auto const& b : under_way_)
        b->forget();
}

}  // namespace holdfast::redis
