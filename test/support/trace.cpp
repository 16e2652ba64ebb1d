//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/trace.hpp"

#include <algorithm>
#include <cstdio>

namespace holdfast::test {
namespace {

std::string stamp(core::instant t)
{
    char text[40];
    std::snprintf(text, sizeof text, "%12.6f ", std::chrono::duration<double>(t.time_since_epoch()).count());
    return text;
}

std::string shorten(std::string_view word)
{
    auto text = std::string(word.substr(0, 80));
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
    return word.size() > 80 ? text + "..." : text;
}

}  // namespace

void trace::add(core::instant when, std::string_view source, std::string_view what)
{
    auto line = stamp(when).append(source).append(" ").append(what);
    for (auto const c : line)
        digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
    lines_.push_back(std::move(line));
    if (lines_.size() > capacity_)
        lines_.pop_front();
}

std::string trace::text(std::size_t most) const
{
    std::string all;
    for (auto i = lines_.size() - std::min(most, lines_.size()); i != lines_.size(); ++i)
        all.append(lines_[i]).append("\n");
    return all;
}

std::string to_line(simulated::words text)
{
    std::string line;
    for (auto const word : text)
        line.append(line.empty() ? "" : " ").append(shorten(word));
    return line;
}

}  // namespace holdfast::test
