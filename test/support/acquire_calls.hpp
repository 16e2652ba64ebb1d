//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_ACQUIRE_CALLS_HPP
#define HOLDFAST_TEST_SUPPORT_ACQUIRE_CALLS_HPP

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/port/script.hpp"
#include "sim/value.hpp"

namespace holdfast::test {

// The names of the commands that a script calls, in the order of its text.
std::vector<std::string> commands_of(engine::script const&);

// One call of a script that acquires a lock, or writes other keys, in one state of the server.
struct acquire_call {
    std::string name;
    engine::script const* script;
    std::vector<std::vector<std::string>> state;  // the commands that create this state
    std::vector<std::string> keys;                // first the locks, or others that a refused call leaves as they are
    std::vector<std::string> arguments;
    std::size_t locks = 1;
    bool is_abandoned = false;  // its holder is dead: a failed call may free the lock
};

// Calls of each acquire script, one in each state in which the script takes another path.
std::vector<acquire_call> acquire_calls();
// The same of scripts that count a latch, or change the record of a leader.
std::vector<acquire_call> latch_and_record_calls();

// A server on which a user calls scripts, with a function that denies commands to this user.
struct restricted_server {
    std::function<simulated::value(std::vector<std::string> const&)> by_admin;
    std::function<simulated::value(std::vector<std::string> const&)> by_user;
    std::function<void(std::string const&)> deny;  // denies one command to the user; empty: none
};

// Makes the call with each command denied in turn, and with none. A call that fails must leave each lock as it was, and
// no new key without a time to live. Returns the number of calls that failed.
int check_refusals(restricted_server const&, acquire_call const&);

}  // namespace holdfast::test

#endif
