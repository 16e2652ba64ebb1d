//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/request_guard.hpp"

#include <algorithm>

#include <boost/asio/ip/address.hpp>

namespace holdfast::cli::dashboard {
namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_same_name(std::string_view a, std::string_view b)
{
    return std::ranges::equal(a, b, {}, lower, lower);
}

bool is_port(std::string_view text)
{
    return text.starts_with(':') && text.find_first_not_of("0123456789", 1) == text.npos;
}

// "name", "name:port", "[address]", "[address]:port" without the port; empty: it has no such form. The port does not
// matter: a tunnel may change it, and a forged name has the right one.
std::string_view without_port(std::string_view host)
{
    auto const end = host.starts_with('[') ? host.find(']') + 1 : std::min(host.find(':'), host.size());
    auto const rest = host.substr(end);
    return rest.empty() || is_port(rest) ? host.substr(0, end) : std::string_view();
}

bool is_permitted_address(std::string_view name, guard_rules const& rules)
{
    bool const is_v6 = name.size() > 2 && name.front() == '[' && name.back() == ']';
    boost::system::error_code ec;
    auto const address = boost::asio::ip::make_address(std::string(is_v6 ? name.substr(1, name.size() - 2) : name), ec);
    return !ec && address.is_v6() == is_v6 && (address.is_loopback() || !rules.is_loopback);
}

bool is_permitted_host(std::string_view host, guard_rules const& rules)
{
    auto const name = without_port(host);
    if (is_same_name(name, "localhost") || is_permitted_address(name, rules))
        return true;
    return std::ranges::any_of(rules.host_names, [&](auto const& each) { return is_same_name(each, name); });
}

// https: a proxy may speak TLS in front of the dashboard.
bool is_own_origin(std::string_view origin, std::string_view host)
{
    for (std::string_view const scheme : {"http://", "https://"})
        if (origin.starts_with(scheme) && is_same_name(origin.substr(scheme.size()), host))
            return true;
    return false;
}

bool is_foreign(request_facts const& r)
{
    if (!r.origin.empty() && !is_own_origin(r.origin, r.host))
        return true;
    bool const is_own_site = r.fetch_site.empty() || r.fetch_site == "same-origin" || r.fetch_site == "none";
    return !is_own_site && !r.is_page;
}

// The value of a cookie in the field Cookie: "a=1; b=2".
std::string_view cookie_value(std::string_view field, std::string_view name)
{
    while (!field.empty()) {
        auto const end = field.find(';');
        auto const pair = field.substr(0, end);
        auto const is = pair.find('=');
        if (is != pair.npos && pair.substr(0, is) == name)
            return pair.substr(is + 1);
        field = end == field.npos ? std::string_view() : field.substr(end + 1);
        field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
    }
    return {};
}

bool has_token(request_facts const& r, guard_rules const& rules)
{
    constexpr std::string_view bearer = "Bearer ";
    if (r.authorization.starts_with(bearer) && is_same_secret(r.authorization.substr(bearer.size()), rules.token))
        return true;
    return is_same_secret(cookie_value(r.cookie, rules.cookie), rules.token);
}

}  // namespace

verdict check(request_facts const& r, guard_rules const& rules)
{
    if (!is_permitted_host(r.host, rules))
        return verdict::forged_host;
    if (is_foreign(r))
        return verdict::foreign_origin;
    if (!rules.token.empty() && !r.is_public && !has_token(r, rules))
        return verdict::no_token;
    return verdict::pass;
}

bool is_same_secret(std::string_view a, std::string_view b)
{
    // volatile: otherwise a compiler may end the loop at the first difference.
    unsigned volatile difference = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        difference = difference | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
    return difference == 0;
}

}  // namespace holdfast::cli::dashboard
