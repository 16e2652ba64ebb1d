//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "testing/reply_view.hpp"

#include <boost/container/small_vector.hpp>

namespace holdfast::simulated {
namespace {

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

void deliver(engine::command& c, core::instant sent, value const& v)
{
    engine::answer a{.sent = sent};
    boost::container::small_vector<engine::reply, 8> items;
    if (v.is_error()) {
        a.outcome = engine::outcome::refused;
        a.why = engine::classify(v.text);
        a.words = v.text;
    } else {
        a.outcome = engine::outcome::applied;
        for (auto const& item : v.items)
            items.push_back(leaf(item));
        a.value = leaf(v);
        a.value.items = {items.data(), items.size()};
    }
    c.on_answer(a);
}

}  // namespace holdfast::simulated
