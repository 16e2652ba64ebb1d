//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/login_route.hpp"

#include "tool/dashboard/body_fields.hpp"

namespace holdfast::cli::dashboard {

boost::asio::awaitable<answer> post_login(site& s, request const& r)
{
    auto const fields = read_body_fields(r, {"token"});
    if (!fields)
        co_return plain(http::status::bad_request, "Send application/json: {\"token\": \"...\"}\n");
    if (!s.guard.token.empty() && !is_same_secret(fields->front(), s.guard.token))
        co_return plain(http::status::unauthorized, "The token is wrong.\n");
    answer done = plain(http::status::no_content, "");
    if (!s.guard.token.empty())
        done.cookie = s.guard.cookie + "=" + s.guard.token + "; HttpOnly; SameSite=Strict; Path=/";
    co_return done;
}

}  // namespace holdfast::cli::dashboard
