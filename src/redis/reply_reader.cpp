//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/reply_reader.hpp"

#include <charconv>
#include <optional>

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
    if (is_list(n.data_type)) {
        items_.clear();
        texts_.clear();
        expected_ = elements_of(n);
        skipped_ = 0;
        return expected_ == 0 ? complete_array() : progress::more;
    }
    auto const r = scalar(n);
    if (!r)
        return progress::malformed;
    value_ = *r;
    return is_error(n.data_type) ? progress::error : progress::complete;
}

// Counts the elements of inner lists without keeping them: HELLO's reply contains a list of modules. A list adds its
// elements to the count when its head arrives, and each deeper node removes itself.
progress reply_reader::take_element(node_view const& n)
{
    auto const r = is_list(n.data_type) ? engine::reply{.type = engine::reply::kind::array} : scalar(n);
    if (!r)
        return progress::malformed;
    if (n.depth > 1)
        --skipped_;
    if (is_list(n.data_type))
        skipped_ += elements_of(n);
    if (n.depth == 1) {
        items_.push_back(*r);
        texts_ += r->text;  // the view in the item is set later: this string may still reallocate
    }
    return items_.size() == expected_ && skipped_ == 0 ? complete_array() : progress::more;
}

// Sets the views of the items to their copied texts, which do not move any more.
progress reply_reader::complete_array()
{
    std::string_view rest = texts_;
    for (auto& item : items_) {
        auto const size = item.text.size();
        item.text = rest.substr(0, size);
        rest.remove_prefix(size);
    }
    value_ = {.type = engine::reply::kind::array, .items = items_};
    return progress::complete;
}

}  // namespace holdfast::redis
