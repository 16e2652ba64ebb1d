//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/greeting.hpp"

#include <array>
#include <charconv>
#include <vector>

#include <boost/redis/resp3/type.hpp>

#include <holdfast/error.hpp>

#include "redis/words.hpp"

namespace holdfast::redis {
namespace {

namespace resp3 = boost::redis::resp3;

bool is_error(resp3::type t)
{
    return t == resp3::type::simple_error || t == resp3::type::blob_error;
}

// Refusals without a prefix of their own that time cures.
bool passes(std::string_view words)
{
    return words.find("max number of clients") != words.npos || words.find("max clients") != words.npos;
}

// The line of INFO that begins with `key`.
std::string_view value_of(std::string_view key, std::string_view info)
{
    auto const at = info.find(key);
    if (at == info.npos)
        return {};
    auto const line = info.substr(at + key.size());
    return line.substr(0, line.find_first_of("\r\n"));
}

}  // namespace

void say_hello(boost::redis::request& to, endpoint const& e, std::string_view client_name)
{
    std::vector<std::string_view> words{"3"};
    if (e.has_password)
        words.insert(words.end(), {"AUTH", e.user.empty() ? std::string_view("default") : e.user, e.password});
    words.insert(words.end(), {"SETNAME", client_name});
    to.push_range("HELLO", words);
    if (e.database != 0)
        to.push("SELECT", e.database);
}

greeting::greeting(endpoint const& e, std::string_view client_name) : selects_(e.database != 0)
{
    // Queued before the connection exists, which is then opened for it.
    request_.get_config() = {true, false, true, true};
    say_hello(request_, e, client_name);
    request_.push("INFO", "server");
}

boost::redis::any_adapter greeting::adapter()
{
    using event = boost::redis::any_adapter::parse_event;
    return boost::redis::any_adapter::impl_t([this](event e, auto const& node, auto& ec) {
        if (e == event::node)
            read(node, ec);
        else if (e == event::done)
            next_step();
    });
}

boost::redis::any_adapter greeting::barrier_adapter()
{
    using event = boost::redis::any_adapter::parse_event;
    return boost::redis::any_adapter::impl_t([this](event e, auto const& node, auto& ec) {
        if (e == event::node)
            give_up_if_busy(node, ec);
    });
}

void greeting::read(resp3::node_view const& node, boost::system::error_code& ec)
{
    if (step_ == step::info)
        return read_info(node, ec);
    bool const is_hello = step_ == step::hello && node.depth == 0;
    if (is_error(node.data_type))
        refused_ = without_arguments(node.value);
    else if (is_hello && node.data_type != resp3::type::map)
        refused_ = "the server does not speak RESP3";
    else if (step_ == step::hello)
        read_hello(node);
    if (!refused_.empty())
        ec = errc::protocol;
}

void greeting::read_hello(resp3::node_view const& node)
{
    if (node.depth != 1)
        return;
    if (number_follows_)
        std::from_chars(node.value.data(), node.value.data() + node.value.size(), id_.number);
    number_follows_ = !number_follows_ && node.value == "id";
}

void greeting::read_info(resp3::node_view const& node, boost::system::error_code& ec)
{
    give_up_if_busy(node, ec);
    id_.server_run = value_of("run_id:", node.value);
}

// Commands of the connection before could still land after a barrier that was not raised.
void greeting::give_up_if_busy(resp3::node_view const& node, boost::system::error_code& ec)
{
    if (!is_error(node.data_type) || engine::classify(node.value) != engine::refusal::not_now)
        return;
    refused_ = without_arguments(node.value);
    ec = errc::unavailable;
}

void greeting::next_step() noexcept
{
    step_ = step_ == step::hello && selects_ ? step::select : step::info;
}

engine::closing judge_refusal(std::string_view words)
{
    switch (engine::classify(words)) {
        case engine::refusal::not_permitted: return {errc::not_permitted, words, true};
        case engine::refusal::not_now:
        case engine::refusal::read_only: return {errc::unavailable, words, false};
        case engine::refusal::out_of_resources: return {errc::server_refused, words, false};
        default: break;
    }
    if (words.starts_with("DENIED"))  // protected mode
        return {errc::not_permitted, words, true};
    if (passes(words))
        return {errc::unavailable, words, false};
    return {errc::protocol, words, true};
}

}  // namespace holdfast::redis
