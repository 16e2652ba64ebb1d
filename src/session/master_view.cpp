//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/master_view.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::session {

void master_view::on_answer(std::size_t sentinel, named_master m, core::instant now)
{
    answers_[sentinel] = {std::move(m), now};
}

std::optional<master_address> const& master_view::judge(core::instant now)
{
    named_master const* best = nullptr;
    for (auto& a : answers_) {
        if (a && now > a->when + memory)
            a.reset();
        if (a && (!best || is_better(a->master, *best)))
            best = &a->master;
    }
    if (best)
        present_ = best->address;
    else
        present_.reset();
    return present_;
}

bool master_view::is_better(named_master const& a, named_master const& b) const
{
    if (a.epoch != b.epoch)
        return a.epoch > b.epoch;
    auto const for_a = supporters(a);
    auto const for_b = supporters(b);
    return for_a != for_b ? for_a > for_b : a.address == present_ && b.address != present_;
}

std::ptrdiff_t master_view::supporters(named_master const& m) const
{
    return std::ranges::count_if(
        answers_, [&](auto const& a) { return a && a->master.epoch == m.epoch && a->master.address == m.address; });
}

}  // namespace holdfast::session
