//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/json.hpp"

#include <cmath>
#include <cstdio>
#include <utility>

namespace holdfast::bench {

json_writer& json_writer::begin_object()
{
    return open('{');
}

json_writer& json_writer::end_object()
{
    return close('}');
}

json_writer& json_writer::begin_array()
{
    return open('[');
}

json_writer& json_writer::end_array()
{
    return close(']');
}

json_writer& json_writer::key(std::string_view name)
{
    begin_element();
    quote(name);
    text_ += ": ";
    after_key_ = true;
    return *this;
}

json_writer& json_writer::value(std::string_view v)
{
    begin_element();
    quote(v);
    return *this;
}

json_writer& json_writer::value(double v)
{
    begin_element();
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.6g", std::isfinite(v) ? v : 0.0);
    text_ += digits;
    return *this;
}

json_writer& json_writer::value(bool v)
{
    begin_element();
    text_ += v ? "true" : "false";
    return *this;
}

json_writer& json_writer::open(char bracket)
{
    begin_element();
    text_ += bracket;
    indent_ += "  ";
    first_ = true;
    return *this;
}

json_writer& json_writer::close(char bracket)
{
    indent_.resize(indent_.size() - 2);
    text_ += indent_;
    text_ += bracket;
    first_ = false;
    return *this;
}

void json_writer::begin_element()
{
    if (std::exchange(after_key_, false))
        return;
    if (!std::exchange(first_, false))
        text_ += ',';
    if (indent_.size() > 1)
        text_ += indent_;
}

// Names of contestants and versions: printable ASCII.
void json_writer::quote(std::string_view s)
{
    text_ += '"';
    for (char const c : s) {
        if (c == '"' || c == '\\')
            text_ += '\\';
        text_ += c;
    }
    text_ += '"';
}

}  // namespace holdfast::bench
