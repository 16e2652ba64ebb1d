//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/reply_reader.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <utility>

namespace holdfast::redis {
namespace {

using boost::redis::resp3::node_view;
using boost::redis::resp3::type;
using progress = reply_reader::progress;

// A verbatim string of RESP3 begins with its format; INFO is one.
constexpr std::string_view verbatim_prefix = "txt:";

engine::reply text_reply(std::string_view text)
{
    return {.type = engine::reply::kind::text, .text = text};
}

std::optional<engine::reply> integer_reply(std::string_view digits)
{
    engine::reply r{.type = engine::reply::kind::integer};
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), r.integer);
    if (error != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return r;
}

bool is_error(type t)
{
    return t == type::simple_error || t == type::blob_error;
}

// Returns nothing if the node is not a scalar, or is not well-formed.
std::optional<engine::reply> scalar(node_view const& n)
{
    switch (n.data_type) {
        case type::null: return engine::reply{};
        case type::number: return integer_reply(n.value);
        case type::boolean: return engine::reply{.type = engine::reply::kind::integer, .integer = n.value == "t"};
        case type::verbatim_string:
            return text_reply(n.value.substr(n.value.starts_with(verbatim_prefix) ? verbatim_prefix.size() : 0));
        case type::simple_string:
        case type::blob_string:
        case type::doublean:
        case type::big_number:
        case type::simple_error:  // inside an array: its text is the element
        case type::blob_error: return text_reply(n.value);
        default: return std::nullopt;
    }
}

bool is_list(type t)
{
    return t == type::array || t == type::set || t == type::map;
}

// A reply has fewer elements than that. So the sum of all announced lengths cannot overflow.
constexpr std::size_t most_elements = std::size_t{1} << 31;

bool has_too_many_elements(node_view const& list)
{
    return list.aggregate_size > most_elements;
}

std::size_t elements_of(node_view const& list)
{
    return list.aggregate_size * (list.data_type == type::map ? 2 : 1);
}

}  // namespace

progress reply_reader::take(node_view const& n)
{
    return n.depth == 0 ? take_head(n) : take_element(n);
}

progress reply_reader::take_head(node_view const& n)
{
    if (is_list(n.data_type) && has_too_many_elements(n))
        return progress::malformed;
    if (is_list(n.data_type)) {
        items_.clear();
        shapes_.clear();
        texts_.clear();
        is_nested_ = false;
        expected_ = missing_ = elements_of(n);
        return missing_ == 0 ? complete_array() : progress::more;
    }
    auto const r = scalar(n);
    if (!r)
        return progress::malformed;
    value_ = *r;
    return is_error(n.data_type) ? progress::error : progress::complete;
}

// An inner list adds its elements to the count of those that are missing.
progress reply_reader::take_element(node_view const& n)
{
    bool const is_inner_list = is_list(n.data_type);
    auto const r = is_inner_list ? engine::reply{.type = engine::reply::kind::array} : scalar(n);
    if (!r || (is_inner_list && has_too_many_elements(n)))
        return progress::malformed;
    std::size_t const elements = is_inner_list ? elements_of(n) : 0;
    is_nested_ = is_nested_ || is_inner_list;
    items_.push_back(*r);
    shapes_.push_back({n.depth, elements});
    texts_ += r->text;  // the view in the item is set later: this string may still reallocate
    missing_ += elements;
    return --missing_ == 0 ? complete_array() : progress::more;
}

// The copies do not move any more.
progress reply_reader::complete_array()
{
    set_texts();
    if (is_nested_)
        arrange();
    value_ = {.type = engine::reply::kind::array, .items = std::span(items_).first(expected_)};
    return progress::complete;
}

// Sets the views of the items to their copied texts.
void reply_reader::set_texts()
{
    std::string_view rest = texts_;
    for (auto& item : items_) {
        auto const size = item.text.size();
        item.text = rest.substr(0, size);
        rest.remove_prefix(size);
    }
}

// Moves the elements of each list next to each other, and sets the views of the lists. The elements have arrived as a
// tree is walked, each list before its elements. Sorted by depth and arrival, they are in the order of their lists.
void reply_reader::arrange()
{
    std::vector<std::size_t> order(items_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(shapes_[i].depth, i); });
    std::vector<engine::reply> sorted;
    for (auto const i : order)
        sorted.push_back(items_[i]);
    items_ = std::move(sorted);
    auto next = std::span(items_).subspan(expected_);
    for (std::size_t i = 0; i < items_.size(); ++i) {
        auto const elements = shapes_[order[i]].elements;
        if (elements > 0)
            items_[i].items = next.first(elements);
        next = next.subspan(elements);
    }
}

}  // namespace holdfast::redis
