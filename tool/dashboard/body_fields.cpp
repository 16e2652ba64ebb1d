//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/body_fields.hpp"

#include <boost/beast/http/field.hpp>
#include <boost/json/parse.hpp>

namespace holdfast::cli::dashboard {

std::optional<std::vector<std::string>> read_body_fields(request const& r, std::vector<std::string_view> const& names)
{
    auto const type = r[http::field::content_type];
    if (type.substr(0, type.find(';')) != "application/json")
        return std::nullopt;
    boost::system::error_code ec;
    auto const body = boost::json::parse(r.body(), ec);
    if (ec || !body.is_object())
        return std::nullopt;
    std::vector<std::string> values;
    for (auto const name : names) {
        auto const* const value = body.get_object().if_contains(name);
        if (value == nullptr || !value->is_string())
            return std::nullopt;
        values.emplace_back(value->get_string());
    }
    return values;
}

}  // namespace holdfast::cli::dashboard
