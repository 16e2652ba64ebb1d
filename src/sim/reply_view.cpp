//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/reply_view.hpp"

#include <boost/container/small_vector.hpp>

namespace holdfast::simulated {
namespace {

// Without its items. A status and a bulk string are the same for the library, and an array inside an array is empty: no
// command of the library needs its items.
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

}  // namespace

void deliver(session::connection_events& to, value const& v)
{
    if (v.is_error())
        return to.on_error(v.text);
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
    if (push.items.size() == 3 && push.items[0].text == "message")
        to.on_message(push.items[1].text);
}

}  // namespace holdfast::simulated
