//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/release/release_history.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine {

void release_history::add(grant_ptr g, core::instant sent)
{
    while (!executed_.empty() && executed_.front().sent + span < sent)
        executed_.pop_front();
    executed_.push_back({std::move(g), sent});
}

void release_history::on_open(server_identity const& s, core::instant now)
{
    if (!s.is_same_server(server_))
        repeat_if([](grant const&) { return true; }, now);
    server_ = s;
}

void release_history::on_left(core::slot_set const& slots, core::instant now)
{
    repeat_if([&](grant const& g) { return slots[g.lock().slot]; }, now);
}

template <class Predicate>
void release_history::repeat_if(Predicate is_due, core::instant now)
{
    auto const leaves = [&](entry const& e) { return is_due(*e.released); };
    for (auto const& e : executed_)
        if (leaves(e) && now < e.released->expiry(e.sent))
            due_.push_back(e.released);
    executed_.erase(std::remove_if(executed_.begin(), executed_.end(), leaves), executed_.end());
}

release_history::grant_ptr release_history::next()
{
    if (due_.empty() || under_way_ == most_under_way)
        return nullptr;
    ++under_way_;
    auto last = std::move(due_.back());
    due_.pop_back();
    return last;
}

}  // namespace holdfast::engine
