//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/reply_view.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include <boost/container/small_vector.hpp>

namespace holdfast::simulated {
namespace {

// Without its items. A status and a bulk string are the same for the library.
engine::reply leaf(value const& v)
{
    switch (v.type) {
        case value::kind::integer: return {engine::reply::kind::integer, v.integer, {}, {}};
        case value::kind::status:
        case value::kind::error:
        case value::kind::bulk: return {engine::reply::kind::text, 0, v.text, {}};
        case value::kind::array: return {engine::reply::kind::array, 0, {}, {}};
        case value::kind::nil: break;
    }
    return {};
}

// The items of arrays inside arrays. A deque does not move its elements when it grows.
using inner_items = std::deque<std::vector<engine::reply>>;

engine::reply tree(value const& v, inner_items& to)
{
    auto r = leaf(v);
    if (v.items.empty())
        return r;
    std::vector<engine::reply> items;
    for (auto const& item : v.items)
        items.push_back(tree(item, to));
    r.items = to.emplace_back(std::move(items));
    return r;
}

bool is_array(value const& v)
{
    return v.type == value::kind::array;
}

// For the replies to HELLO and CLUSTER SLOTS.
void deliver_nested(session::connection_events& to, value const& v)
{
    inner_items storage;
    to.on_reply(tree(v, storage));
}

}  // namespace

void deliver(session::connection_events& to, value const& v)
{
    if (v.is_error())
        return to.on_error(v.text);
    if (std::ranges::any_of(v.items, is_array))
        return deliver_nested(to, v);
    // On the stack, because most replies have few items. The reply refers to them during the event.
    boost::container::small_vector<engine::reply, 8> items;
    for (auto const& item : v.items)
        items.push_back(leaf(item));
    auto r = leaf(v);
    r.items = {items.data(), items.size()};
    to.on_reply(r);
}

// [message, channel, text]. The text is not passed on: a message is a hint, whatever it says (rule 13).
void deliver_push(session::connection_events& to, value const& push)
{
    auto const& kind = push.items[0].text;
    auto const& channel = push.items[1].text;
    if (kind == "message" || kind == "smessage")
        to.on_message(channel);
    else if (kind == "ssubscribe")
        to.on_subscribed(channel);
    else if (kind == "sunsubscribe")
        to.on_unsubscribed(channel);
}

}  // namespace holdfast::simulated
