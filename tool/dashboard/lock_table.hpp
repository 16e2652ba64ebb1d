//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_LOCK_TABLE_HPP
#define HOLDFAST_CLI_DASHBOARD_LOCK_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "operations/lock_survey.hpp"
#include "tool/dashboard/changes.hpp"
#include "tool/dashboard/moment.hpp"

namespace holdfast::cli::dashboard {

// A lock that the dashboard knows. One that has become free is kept for a while: it is looked at by its name, so its
// next holder is seen sooner than by the scan of all keys.
struct watched_lock {
    std::uint64_t id = 0;  // for the page; not used again
    detail::lock_record record = {};
    instant observed = {};
    std::int64_t since_ms = 0;  // when the holders changed last; 0: before the dashboard was opened
    instant free_since = {};
    std::uint64_t changed = 0;   // the revision of the last change, apart from times
    std::uint64_t revision = 0;  // of the last change of anything
    std::list<std::uint64_t>::iterator place = {};
};

// What differs from an earlier revision. The pointers are valid until the table changes.
struct table_delta {
    std::vector<watched_lock const*> changed;
    std::vector<watched_lock const*> renewed;  // only their times have changed
    std::vector<std::uint64_t> removed;        // ids
    std::uint64_t revision = 0;                // up to which this is complete
};

// All locks that the dashboard knows, in the order of their last change. A reader that knows a revision asks for what
// differs from it, so a slow reader needs no queue: it gets the newest state when it asks. A pure class.
class lock_table {
public:
    explicit lock_table(std::size_t most = 50'000, std::size_t most_removed = 20'000)
        : most_(most), most_removed_(most_removed)
    {}

    // Takes an observation and returns what has happened. `is_first_pass`: what it finds has happened before the
    // dashboard was opened.
    std::vector<lock_change> observe(detail::lock_record, moment, bool is_first_pass);

    // The names of at most n locks that were not observed since then, the oldest observation first.
    std::vector<std::string> stalest(std::size_t n, instant since) const;

    // Removes the locks that are free since that time or longer.
    void drop_free(instant since);

    // At most `limit` locks. The next call passes the revision that this one returned.
    table_delta differences(std::uint64_t revision, std::size_t limit) const;
    // Whether differences() knows all removals since then; if not, the reader must begin again with 0.
    bool remembers(std::uint64_t revision) const { return revision == 0 || revision >= forgotten_; }

    std::map<std::uint64_t, watched_lock> const& locks() const { return locks_; }
    watched_lock const* find(std::string const& name) const;
    std::size_t size() const { return locks_.size(); }
    bool is_full() const { return is_full_; }  // some locks are not shown

private:
    watched_lock& add(std::string const& name);
    void touch(watched_lock&, bool is_change);
    void remove(std::uint64_t id);

    std::size_t const most_;
    std::size_t const most_removed_;
    bool is_full_ = false;
    std::uint64_t last_id_ = 0;
    std::uint64_t last_revision_ = 0;
    std::uint64_t forgotten_ = 0;  // the newest revision of a removal that is not in by_revision_ any more
    std::map<std::uint64_t, watched_lock> locks_;
    std::unordered_map<std::string, std::uint64_t> ids_;
    std::map<std::uint64_t, std::uint64_t> by_revision_;  // ids; also of removed locks
    std::deque<std::uint64_t> removals_;                  // their revisions
    std::list<std::uint64_t> by_observation_;             // ids, the oldest observation first
};

}  // namespace holdfast::cli::dashboard

#endif
