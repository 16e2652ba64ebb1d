//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "operations/command_query.hpp"

#include <memory>
#include <optional>
#include <string_view>

#include "operations/lockless_query.hpp"

namespace holdfast::detail {
namespace {

using kind = command_reply::kind;

std::string text_of(engine::reply const& item)
{
    return item.type == engine::reply::kind::integer ? std::to_string(item.integer) : std::string(item.text);
}

command_reply copy_of(engine::reply const& r)
{
    switch (r.type) {
        case engine::reply::kind::nil: return {.type = kind::nil};
        case engine::reply::kind::integer: return {.type = kind::integer, .integer = r.integer};
        case engine::reply::kind::text: return {.type = kind::text, .text = std::string(r.text)};
        case engine::reply::kind::array: break;
    }
    command_reply list{.type = kind::list};
    for (auto const& item : r.items)
        list.items.push_back(text_of(item));
    return list;
}

class command_query final : public lockless_query<command_reply> {
public:
    command_query(
        handler_type h, std::shared_ptr<client_state> const& home, std::uint16_t slot, std::vector<std::string> words)
        : lockless_query(std::move(h), home, slot), words_(std::move(words))
    {}

private:
    void send(engine::session& to, engine::script_form) override
    {
        std::vector<std::string_view> const words(words_.begin(), words_.end());
        to.submit(*this, words);
    }
    command_reply read(engine::reply const& r) override { return copy_of(r); }
    std::optional<command_reply> read_refusal(std::string_view words) override
    {
        return command_reply{.type = kind::error, .text = std::string(words)};
    }

    std::vector<std::string> const words_;
};

}  // namespace

void start_command(
    handler_at<void(error_code, command_reply)> h, client_ptr of, std::uint16_t slot, std::vector<std::string> words)
{
    launch_if_exists<command_query>(of, std::move(h), slot, std::move(words));
}

}  // namespace holdfast::detail
