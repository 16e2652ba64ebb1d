//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SERVER_INFO_HPP
#define HOLDFAST_SERVER_INFO_HPP

#include <string>
#include <utility>

#include <holdfast/client.hpp>
#include <holdfast/detail/initiate.hpp>
#include <holdfast/error.hpp>

namespace holdfast::detail {

struct server_info_launch : client_launch {
    explicit server_info_launch(client&);
    void start(handler_at<void(error_code, std::string)>) &&;
};

// What the server says of itself: the text of INFO. For the tool; users have no business with it.
// Errors: unavailable, not_permitted, not_running, client_stopped.
template <token_for<void(error_code, std::string)> Token>
auto ask_server_info(client& c, Token&& token)
{
    return initiate<void(error_code, std::string)>(server_info_launch(c), std::forward<Token>(token));
}

}  // namespace holdfast::detail

#endif
