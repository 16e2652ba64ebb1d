//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/words.hpp"

#include "core/printable.hpp"

namespace holdfast::session {
namespace {

// In bytes. A line of the log should stay readable, however long the text of a server is.
constexpr std::size_t longest = 240;

}  // namespace

// Redis: "ERR unknown command 'X', with args beginning with: 'a' 'b' ".
std::string_view without_arguments(std::string_view words) noexcept
{
    return words.substr(0, words.find(", with args beginning with"));
}

std::string printable(std::string_view words)
{
    words = without_arguments(words);
    auto const line = core::printable(words.substr(0, longest));
    return words.size() > longest ? line + "..." : line;
}

}  // namespace holdfast::session
