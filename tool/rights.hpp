//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_RIGHTS_HPP
#define HOLDFAST_CLI_RIGHTS_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operations/command_query.hpp"
#include "tool/diagnosis.hpp"

// The rights to the commands that the library's scripts call.
namespace holdfast::cli {

// What needs a right, as bits.
enum need : std::uint8_t {
    needs_mutex = 1,
    needs_reentrant = 2,
    needs_fair = 4,
    needs_read_write = 8,
    needs_semaphore = 16,
    needs_election = 32,
    needs_latch = 64,
    needs_queries = 128,  // holders() and force_release() of a mutex, a reentrant_lock and a fair_lock
};

struct right {
    std::string_view command;  // in lower case, as scripts write it
    unsigned needs;            // bits of `need`
};

std::span<right const> rights();

// The EVAL of a script that calls all these commands, and replies with a list of command and error text in turn. It
// creates one key, a string that expires after a second, and deletes it. No command of it can leave another key, nor
// one without a time to live, whatever the access rules deny: before the key exists, it calls what creates nothing, and
// afterwards what fails at a string.
std::vector<std::string> rights_script(std::string const& key);

// From the reply to that script. Errors that are no denials do not count. A denial that concerns each kind of lock is
// bad, any other one doubtful. Bad is also that scripts are denied as such.
finding judge_rights(detail::command_reply const&);

}  // namespace holdfast::cli

#endif
