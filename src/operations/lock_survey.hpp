//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LOCK_SURVEY_HPP
#define HOLDFAST_LOCK_SURVEY_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/config.hpp>

#include <holdfast/client.hpp>
#include <holdfast/detail/initiate.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/error.hpp>

// A query that the tool (holdfast dashboard) sends to watch all locks of a server. It is not part of the public API. It
// completes as those of server_query.hpp.
namespace holdfast::detail {

// What the keys on the server tell about the kind of a lock. A reentrant_lock and a fair_lock without waiters have the
// same keys.
enum class recorded_kind { free, mutex, reentrant_or_fair, fair, read, write, semaphore, election, latch };

// A lock as the server records it. Long lists are cut: their true sizes are beside them.
struct lock_record {
    std::string name;
    recorded_kind kind = recorded_kind::free;
    std::vector<holder> holders;
    std::uint64_t holder_count = 0;
    std::vector<holder> queue;  // of a fair lock, in order; `remaining`: for how long it counts as alive
    std::uint64_t queue_length = 0;
    std::optional<holder> waiting_writer;      // of a read_write_lock; `remaining`: as in the queue
    std::int64_t free_permits = 0;             // of a semaphore: its counter, without those whose time has passed
    std::string fence;                         // the fencing counter; empty: there is none
    std::string value;                         // of an election: the leader's; of a latch: what is left to count
    std::optional<std::uint64_t> subscribers;  // of the channel of its unlock messages; none: not permitted to know
};

// One step of a survey of a server: a step of a SCAN of all keys, and locks that are named. In a cluster it is a survey
// of the primary that has the slot; those of its names that have moved to another one are left out.
struct survey_step {
    std::uint16_t slot = 0;     // of one server: any
    std::string from = "0";     // the cursor; the first step begins with "0"
    std::string pattern = "*";  // a glob pattern, as SCAN's MATCH
    unsigned count = 0;         // of keys that SCAN looks at, about; 0: no SCAN, only the named locks
    std::vector<std::string> names = {};
};

// A step that looks at this lock only, where its slot is.
BOOST_SYMBOL_VISIBLE survey_step survey_of(std::string const& name);

struct survey_page {
    std::string next = "0";          // the next cursor; "0": this was the last step
    std::vector<lock_record> locks;  // those that SCAN found, and all that were named, also if they are free
};

BOOST_SYMBOL_VISIBLE void start_survey(handler_at<void(error_code, survey_page)>, client_ptr, survey_step);

template <token_for<void(error_code, survey_page)> Token>
auto query_survey(client& c, survey_step step, Token&& token)
{
    return initiate(start_survey, std::forward<Token>(token), pointer_to(c), std::move(step));
}

}  // namespace holdfast::detail

#endif
