//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/push_reader.hpp"

#include <holdfast/error.hpp>

namespace holdfast::redis {

push_reader::event push_reader::event_of(std::string_view kind) noexcept
{
    if (kind == "message" || kind == "smessage")
        return &push_receiver::on_message;
    if (kind == "ssubscribe")
        return &push_receiver::on_subscribed;
    return kind == "sunsubscribe" ? &push_receiver::on_unsubscribed : nullptr;
}

void push_reader::on_node(boost::redis::resp3::node_view const& n, boost::system::error_code& ec)
{
    // The head of a push, or of a reply.
    if (n.depth == 0) {
        element_ = 0;
        event_ = nullptr;
        if (n.data_type == boost::redis::resp3::type::push)
            return;
        ec = errc::protocol;
        to_.on_unsolicited(n.value);
    } else if (n.depth == 1) {
        if (element_ == 0)
            event_ = event_of(n.value);
        else if (element_ == 1 && event_)
            channel_ = n.value;
        ++element_;
    }
}

void push_reader::on_done()
{
    // ["message", channel, payload], ["ssubscribe", channel, count]
    if (event_ && element_ == 3)
        (to_.*event_)(channel_);
}

}  // namespace holdfast::redis
