//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/subscription_rows.hpp"

#include <utility>

namespace holdfast::session {

// Pushes and replies come in one order, so the push belongs to the oldest row if it belongs to any.
bool subscription_rows::confirm(change c, std::string_view channel)
{
    if (rows_.empty() || rows_.front().what != c)
        return false;
    return std::erase(rows_.front().channels, channel) != 0;
}

std::vector<std::string> subscription_rows::end_row()
{
    auto ended = std::move(rows_.front());
    rows_.pop_front();
    return ended.what == change::subscribe ? std::move(ended.channels) : std::vector<std::string>();
}

}  // namespace holdfast::session
