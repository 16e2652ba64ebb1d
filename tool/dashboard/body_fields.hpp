//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_BODY_FIELDS_HPP
#define HOLDFAST_CLI_DASHBOARD_BODY_FIELDS_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/dashboard/answer.hpp"

namespace holdfast::cli::dashboard {

// The values of the named fields of a JSON object of strings; nothing if the body has another form, or if its type is
// not application/json: a form of another site cannot send that type without asking first.
std::optional<std::vector<std::string>> read_body_fields(request const&, std::vector<std::string_view> const& names);

}  // namespace holdfast::cli::dashboard

#endif
