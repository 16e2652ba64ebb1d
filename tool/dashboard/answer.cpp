//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/answer.hpp"

#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>

namespace holdfast::cli::dashboard {

void protect(http::fields& f)
{
    f.set(
        http::field::content_security_policy,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'");
    f.set(http::field::x_frame_options, "DENY");
    f.set("X-Content-Type-Options", "nosniff");
    f.set("Referrer-Policy", "no-referrer");
    f.set("Cross-Origin-Resource-Policy", "same-origin");
    f.set("Cross-Origin-Opener-Policy", "same-origin");
    f.set(http::field::cache_control, "no-store");
}

response to_response(answer const& a, request const& to)
{
    response r(a.status, to.version());
    protect(r);
    r.set(http::field::content_type, a.type);
    if (!a.allow.empty())
        r.set(http::field::allow, a.allow);
    if (!a.cookie.empty())
        r.set(http::field::set_cookie, a.cookie);
    if (a.status == http::status::unauthorized)
        r.set(http::field::www_authenticate, "Bearer");
    r.keep_alive(to.keep_alive());
    r.content_length(a.text.size());
    if (to.method() != http::verb::head)
        r.body() = {a.text.data(), a.text.size()};
    return r;
}

}  // namespace holdfast::cli::dashboard
