//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_RECORD_HPP
#define HOLDFAST_CLI_RECORD_HPP

#include <map>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>

#include <holdfast/client.hpp>

#include "operations/lock_survey.hpp"

// Locks as `--json` prints them, and the line itself. The form of a lock is that of /api/locks of the dashboard.
namespace holdfast::cli {

// Of a scan, as the dashboard has them: the server executes nothing else meanwhile.
constexpr unsigned keys_of_step = 200;

struct record_result {
    error_code ec;
    detail::lock_record record;
};

// The lock of that name. A key that is no lock is an error, as of inspect().
asio::awaitable<record_result> query_record(client&, std::string const& name);

struct records_result {
    error_code ec;
    std::map<std::string, detail::lock_record> locks;  // by name
};

// All locks that are held and whose names match. It scans all keys of the database.
asio::awaitable<records_result> query_records(client&, std::string const& pattern);

// {"wall_ms", "locks": [...]}
boost::json::object to_json(records_result const&);

// Writes one line to standard output.
void print_json(boost::json::object const&);

}  // namespace holdfast::cli

#endif
