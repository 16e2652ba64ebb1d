//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/routes.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>

#include "page_generated.hpp"
#include "tool/dashboard/json.hpp"
#include "tool/dashboard/login_route.hpp"
#include "tool/dashboard/release_route.hpp"

namespace holdfast::cli::dashboard {
namespace {

using boost::asio::awaitable;

std::string_view path_of(request const& r)
{
    auto const target = r.target();
    return {target.data(), std::min(target.find('?'), target.size())};
}

awaitable<answer> get_locks(site& s, request const&)
{
    auto const now = moment::now();
    co_return document("application/json", s.locks.get(now.at, [&] { return locks_document(s.state, now); }));
}

awaitable<answer> get_metrics(site& s, request const&)
{
    co_return document("text/plain; version=0.0.4; charset=utf-8", metrics_document(s.state, s.counts));
}

constexpr std::string_view stream_path = "/api/events";

struct route {
    std::string_view path;
    http::verb method;
    bool is_public;
    awaitable<answer> (*respond)(site&, request const&);
};

awaitable<answer> get_page_part(site&, request const& r)
{
    auto const part = std::ranges::find(page_parts, path_of(r), &page_part::path);
    co_return answer{.type = part->type, .text = part->text};
}

constexpr route page_route{"", http::verb::get, true, get_page_part};

// The stream is in the table for its path and method only.
constexpr std::array routes{
    route{"/api/login", http::verb::post, true, post_login},
    route{"/api/locks", http::verb::get, false, get_locks},
    route{stream_path, http::verb::get, false, nullptr},
    route{"/api/release", http::verb::post, false, post_release},
    route{"/metrics", http::verb::get, false, get_metrics}};

route const* route_of(request const& r)
{
    if (std::ranges::find(page_parts, path_of(r), &page_part::path) != page_parts.end())
        return &page_route;
    auto const found = std::ranges::find(routes, path_of(r), &route::path);
    return found == routes.end() ? nullptr : &*found;
}

bool has_method(route const& to, request const& r)
{
    return r.method() == to.method || (r.method() == http::verb::head && to.method == http::verb::get);
}

std::string_view field_of(request const& r, http::field name)
{
    auto const value = r[name];
    return {value.data(), value.size()};
}

// A field that occurs twice may mean one thing here and another one in a proxy.
bool is_ambiguous(request const& r)
{
    return r.count(http::field::host) != 1 || r.count(http::field::origin) > 1
           || r.count(http::field::authorization) > 1;
}

}  // namespace

std::optional<answer> refusal_of(site const& s, request const& r)
{
    if (is_ambiguous(r))
        return plain(http::status::bad_request, "The request needs one field Host.\n");
    auto const* const to = route_of(r);
    auto const fetch_site = r["Sec-Fetch-Site"];
    request_facts const facts{
        .host = field_of(r, http::field::host),
        .origin = field_of(r, http::field::origin),
        .fetch_site = {fetch_site.data(), fetch_site.size()},
        .authorization = field_of(r, http::field::authorization),
        .cookie = field_of(r, http::field::cookie),
        .is_public = to != nullptr && to->is_public,
        .is_page = to == &page_route};
    switch (check(facts, s.guard)) {
        case verdict::pass: return std::nullopt;
        case verdict::forged_host:
            return plain(http::status::forbidden, "This host name is not permitted: --allow-host\n");
        case verdict::foreign_origin: return plain(http::status::forbidden, "Requests of other sites are refused.\n");
        case verdict::no_token: break;
    }
    return plain(http::status::unauthorized, "The token is missing or wrong.\n");
}

bool is_stream_request(request const& r)
{
    auto const* const to = route_of(r);
    return to != nullptr && to->path == stream_path && r.method() == http::verb::get;
}

awaitable<answer> respond(site& s, request const& r)
{
    auto const* const to = route_of(r);
    if (to == nullptr)
        co_return plain(http::status::not_found, "There is no such page.\n");
    if (!has_method(*to, r) || to->respond == nullptr) {
        auto refused = plain(http::status::method_not_allowed, "This method is not allowed.\n");
        refused.allow = to->method == http::verb::get ? "GET, HEAD" : "POST";
        co_return refused;
    }
    co_return co_await to->respond(s, r);
}

}  // namespace holdfast::cli::dashboard
