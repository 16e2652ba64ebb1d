//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SERVER_QUERY_HPP
#define HOLDFAST_SERVER_QUERY_HPP

#include <string>
#include <utility>
#include <vector>

#include <holdfast/client.hpp>
#include <holdfast/detail/initiate.hpp>
#include <holdfast/error.hpp>

// What the tool asks a server, beside its locks; users have no business with it. All complete with unavailable,
// not_permitted, server_refused, not_running or client_stopped when there is no answer.
namespace holdfast::detail {

// The text of INFO.
struct server_info_launch : client_launch {
    explicit server_info_launch(client&);
    void start(handler_at<void(error_code, std::string)>) &&;
};

template <token_for<void(error_code, std::string)> Token>
auto ask_server_info(client& c, Token&& token)
{
    return initiate<void(error_code, std::string)>(server_info_launch(c), std::forward<Token>(token));
}

// One step through the server's keys.
struct key_page {
    std::string next = "0";          // where to go on; "0": this was the last
    std::vector<std::string> locks;  // those that hold a token such as Holdfast and Redisson write
};

struct key_page_launch : client_launch {
    key_page_launch(client&, std::string from, std::string pattern);
    void start(handler_at<void(error_code, key_page)>) &&;

    std::string from;
    std::string pattern;  // as that of SCAN
};

// From "0" on; a lock may come twice, one that comes or goes meanwhile may be missed.
template <token_for<void(error_code, key_page)> Token>
auto ask_key_page(client& c, std::string from, std::string pattern, Token&& token)
{
    return initiate<void(error_code, key_page)>(
        key_page_launch(c, std::move(from), std::move(pattern)), std::forward<Token>(token));
}

}  // namespace holdfast::detail

#endif
