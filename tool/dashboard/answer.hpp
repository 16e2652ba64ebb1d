//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_ANSWER_HPP
#define HOLDFAST_CLI_DASHBOARD_ANSWER_HPP

#include <memory>
#include <string>
#include <string_view>

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>

namespace holdfast::cli::dashboard {

namespace http = boost::beast::http;

using request = http::request<http::string_body>;
using response = http::response<http::span_body<char const>>;

// The answer to a request, before it becomes a response of HTTP.
struct answer {
    http::status status = http::status::ok;
    std::string_view type = "text/plain; charset=utf-8";
    std::string_view text = {};                    // of the body; a literal, or `body`
    std::shared_ptr<std::string const> body = {};  // keeps the text
    std::string_view allow = {};                   // the methods, for the status 405
    std::string cookie = {};                       // of the field Set-Cookie
};

// A short text; the status says the rest.
inline answer plain(http::status status, std::string_view literal)
{
    return {.status = status, .text = literal};
}

inline answer document(
    std::string_view type, std::shared_ptr<std::string const> body, http::status status = http::status::ok)
{
    std::string_view const view = *body;
    return {.status = status, .type = type, .text = view, .body = std::move(body)};
}

inline answer document(std::string_view type, std::string text, http::status status = http::status::ok)
{
    return document(type, std::make_shared<std::string const>(std::move(text)), status);
}

// The fields that each response has: no script but that of the page, nothing from elsewhere, no frame, no cache.
void protect(http::fields&);

// The response to a request. It refers to the text of the answer.
response to_response(answer const&, request const&);

}  // namespace holdfast::cli::dashboard

#endif
