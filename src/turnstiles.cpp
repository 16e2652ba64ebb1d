//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "turnstiles.hpp"

#include <utility>

#include "red_queue.hpp"

namespace holdfast::detail {
namespace {

constexpr std::size_t spare = 64;

}  // namespace

std::shared_ptr<turnstile> turnstiles::of(std::string const& key)
{
    std::scoped_lock const guard(mutex_);
    auto& known = known_[key];
    auto found = known.lock();
    if (found)
        return found;
    known = found = std::make_shared<red_queue>();
    if (known_.size() > sweep_at_)
        sweep();
    return found;
}

// As much again may come before the next time: so each newcomer pays for few others, however many there are.
void turnstiles::sweep()
{
    std::erase_if(known_, [](auto const& entry) { return entry.second.expired(); });
    sweep_at_ = 2 * known_.size() + spare;
}

void turnstiles::open_all() noexcept
{
    by_key all;
    {
        std::scoped_lock const guard(mutex_);
        all.swap(known_);
    }
    for (auto const& [key, known] : all)
        if (auto const t = known.lock())
            t->open();
}

std::size_t turnstiles::size() const
{
    std::scoped_lock const guard(mutex_);
    return known_.size();
}

}  // namespace holdfast::detail
