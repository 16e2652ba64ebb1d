//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_RECENT_HPP
#define HOLDFAST_CLI_DASHBOARD_RECENT_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

namespace holdfast::cli::dashboard {

// The last entries of a sequence, numbered from 1. A reader that was too slow misses those that are gone.
template <class Entry>
class recent {
public:
    explicit recent(std::size_t most) : most_(most) {}

    void add(Entry e)
    {
        entries_.push_back(std::move(e));
        ++last_;
        if (entries_.size() > most_)
            entries_.pop_front();
    }

    // The number of the newest entry; 0: there is none.
    std::uint64_t last() const { return last_; }

    // Calls f for each entry with a greater number, the oldest first.
    template <class F>
    void for_each_after(std::uint64_t number, F const& f) const
    {
        auto const missing = last_ - entries_.size();
        auto const skipped = number > missing ? number - missing : 0;
        for (auto i = static_cast<std::size_t>(skipped); i < entries_.size(); ++i)
            f(entries_[i]);
    }

private:
    std::size_t const most_;
    std::deque<Entry> entries_;
    std::uint64_t last_ = 0;
};

}  // namespace holdfast::cli::dashboard

#endif
