//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_SUBSCRIPTION_ROWS_HPP
#define HOLDFAST_SESSION_SUBSCRIPTION_ROWS_HPP

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::session {

// The changes of sharded subscriptions that have no outcome yet, row by row: each row was sent with one guard. The
// server confirms each channel by a push before the reply to the guard, or not at all: CLIENT REPLY SKIP suppresses its
// error.
class subscription_rows {
public:
    enum class change : bool { subscribe, unsubscribe };

    void add(change c, std::vector<std::string> channels) { rows_.push_back({c, std::move(channels)}); }
    // A push has confirmed a change. Returns whether the client had requested it.
    bool confirm(change, std::string_view channel);
    // The guard of the oldest row was replied to. Returns the channels to which the server has not subscribed the
    // client though it was asked to. Precondition: there is a row.
    std::vector<std::string> end_row();
    void clear() noexcept { rows_.clear(); }

private:
    struct row {
        change what;
        std::vector<std::string> channels;  // without confirmation
    };

    std::deque<row> rows_;
};

}  // namespace holdfast::session

#endif
