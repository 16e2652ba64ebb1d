//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/push_reader.hpp"

#include <holdfast/error.hpp>

namespace holdfast::redis {

void push_reader::on_node(boost::redis::resp3::node_view const& n, boost::system::error_code& ec)
{
    // The head of a push, or of a reply.
    if (n.depth == 0) {
        element_ = 0;
        is_message_ = false;
        if (n.data_type == boost::redis::resp3::type::push)
            return;
        ec = errc::protocol;
        to_.on_unsolicited(n.value);
    } else if (n.depth == 1) {
        if (element_ == 0)
            is_message_ = n.value == "message";
        else if (element_ == 1 && is_message_)
            channel_ = n.value;
        ++element_;
    }
}

void push_reader::on_done()
{
    // ["message", channel, payload]
    if (is_message_ && element_ == 3)
        to_.on_message(channel_);
}

}  // namespace holdfast::redis
