//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/fifo_mutexes.hpp"

namespace holdfast::detail {
namespace {

constexpr std::size_t spare = 64;  // while there are few entries, not every second new one leads to a sweep

}  // namespace

std::shared_ptr<fifo_mutex> fifo_mutexes::of(std::string const& key, std::shared_ptr<fifo_mutex> (*make)())
{
    std::scoped_lock const guard(mutex_);
    auto& known = known_[key];
    auto found = known.lock();
    if (found)
        return found;
    known = found = make();  // before the sweep, which would erase an entry that refers to nothing
    if (is_open_)
        found->open();
    if (known_.size() > sweep_at_)
        sweep();
    return found;
}

// The next sweep is due when the number of entries has doubled, so the cost of a sweep per new entry is constant.
void fifo_mutexes::sweep()
{
    std::erase_if(known_, [](auto const& entry) { return entry.second.expired(); });
    sweep_at_ = 2 * known_.size() + spare;
}

// open() posts handlers, which calls executors of users: the mutex is unlocked by then.
void fifo_mutexes::open_all() noexcept
{
    by_key all;
    {
        std::scoped_lock const guard(mutex_);
        is_open_ = true;
        all.swap(known_);
    }
    for (auto const& [key, known] : all)
        if (auto const t = known.lock())
            t->open();
}

std::size_t fifo_mutexes::size() const
{
    std::scoped_lock const guard(mutex_);
    return known_.size();
}

}  // namespace holdfast::detail
