//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_JSON_HPP
#define HOLDFAST_CLI_DASHBOARD_JSON_HPP

#include <chrono>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "tool/dashboard/board.hpp"

// The JSON of /api/locks, of the events, and of `--json`. All texts of the server pass display_text(): any bytes yield
// valid JSON.
namespace holdfast::cli::dashboard {

namespace json = boost::json;

// {"key", "name", "kind", "holders": [{"id", "label", "writer", "remaining_ms"}], "holder_count", "queue": [...],
// "queue_length", "waiting_writer", "waiting", "fence"}. "key" is the name in hexadecimal digits. "remaining_ms" is what
// remains when the record is `age` old; null: for ever. "waiting" is null if the server does not tell, and
// "waiting_writer" if there is none. `holdfast status` and `holdfast list` print this form, too.
json::object to_json(detail::lock_record const&, std::chrono::milliseconds age);

// {"id", "label", "writer", "remaining_ms"}.
json::object to_json(holder const&);

// The same with "id" and "since_ms".
json::object to_json(watched_lock const&, instant now);

// [id, remaining_ms of each holder]: what a renewal changes.
json::array to_renewal(watched_lock const&, instant now);

json::object to_json(event const&);
json::array to_json(sample const&);  // [wall_ms, held, waiting, acquired, ended]
json::object to_json(survey_state const&, lock_table const&);

// The body of /api/locks.
std::string locks_document(board const&, moment now);

char const* to_word(detail::recorded_kind);
char const* to_word(event::kind);

}  // namespace holdfast::cli::dashboard

#endif
