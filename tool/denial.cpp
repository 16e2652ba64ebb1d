//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/denial.hpp"

namespace holdfast::cli {
namespace {

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != text.npos;
}

}  // namespace

// Redis 6.2 and 7.0 write "The user executing the script can't ...", later versions "ACL failure in script: ...".
bool is_denial(std::string_view w)
{
    return contains(w, "NOPERM") || contains(w, "user executing the script can't") || contains(w, "ACL failure");
}

// "... no permissions to run the 'eval' command", or "... to access one of the keys used as arguments".
bool denies_scripts(detail::command_reply const& r)
{
    return r.type == detail::command_reply::kind::error && r.text.starts_with("NOPERM") && !contains(r.text, "script")
           && (contains(r.text, "'eval'") || contains(r.text, "key"));
}

}  // namespace holdfast::cli
