//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/release_route.hpp"

#include "tool/dashboard/body_fields.hpp"
#include "tool/dashboard/display_text.hpp"

namespace holdfast::cli::dashboard {
namespace {

answer to_answer(release_result const& r)
{
    switch (r.what) {
        case release_result::kind::released: return plain(http::status::ok, "The lock was released.\n");
        case release_result::kind::was_free: return plain(http::status::conflict, "The lock is free already.\n");
        case release_result::kind::has_other_holder:
            return plain(http::status::conflict, "The lock has another holder now. Nothing was released.\n");
        case release_result::kind::failed: break;
    }
    return document("text/plain; charset=utf-8", display_text(r.words) + "\n", http::status::bad_gateway);
}

}  // namespace

boost::asio::awaitable<answer> post_release(site& s, request const& r)
{
    if (!s.release)
        co_return plain(http::status::forbidden, "Forced releases need the option --allow-release.\n");
    auto const fields = read_body_fields(r, {"key", "confirm", "holder"});
    auto const name = fields ? from_hex(fields->at(0)) : std::nullopt;
    if (!name)
        co_return plain(
            http::status::bad_request,
            "Send application/json: {\"key\": \"...\", \"confirm\": \"...\", \"holder\": \"...\"}\n");
    if (fields->at(1) != display_text(*name))
        co_return plain(http::status::unprocessable_entity, "The confirmation is not the name of the lock.\n");
    release_order order{*name, fields->at(2)};
    auto const result = co_await s.release(std::move(order));
    co_return to_answer(result);
}

}  // namespace holdfast::cli::dashboard
