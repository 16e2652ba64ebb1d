//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/value.hpp"

namespace holdfast::simulated {
namespace {

std::string list(std::vector<value> const& items)
{
    std::string text = "[";
    for (auto const& v : items)
        text.append(text.size() > 1 ? ", " : "").append(to_string(v));
    return text + "]";
}

}  // namespace

std::string to_string(value const& v)
{
    switch (v.type) {
        case value::kind::nil: return "nil";
        case value::kind::integer: return std::to_string(v.integer);
        case value::kind::status: return v.text;
        case value::kind::bulk: return '"' + v.text + '"';  // the quotes distinguish it from a status
        case value::kind::error: return "-" + v.text;       // as in the protocol
        case value::kind::array: return list(v.items);
    }
    return {};
}

}  // namespace holdfast::simulated
