//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/cluster_examination.hpp"

#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "operations/server_query.hpp"
#include "tool/connection.hpp"

namespace holdfast::cli {
namespace {

using kind = detail::command_reply::kind;

// So many names for each primary that one of them is in a slot of it, whatever its part of the slots is.
constexpr std::size_t names_of_each = 64;

// g++ 12 does not compile a list of words inside a coroutine.
std::vector<std::string> nodes_words()
{
    return {"CLUSTER", "NODES"};
}

std::vector<std::string> settings_words()
{
    return {"CONFIG", "GET", "cluster-*"};
}

finding unreachable(std::string const& why)
{
    return {grade::bad, "connection", why + ": acquires of its locks end with errc::unavailable"};
}

std::vector<std::string> candidates(std::string const& prefix, std::size_t primaries)
{
    std::vector<std::string> keys;
    auto const common = random_digits();
    for (std::size_t i = 0; i < primaries * names_of_each; ++i)
        keys.push_back(names_for(prefix, common + "-" + std::to_string(i)).key);
    return keys;
}

}  // namespace

cluster_examination::cluster_examination(
    client& c,
    config options,
    std::string_view prefix,
    std::chrono::milliseconds lease,
    examination::report_function report)
    : client_(c), options_(std::move(options)), prefix_(prefix), lease_(lease), report_(std::move(report))
{}

asio::awaitable<void> cluster_examination::operator()()
{
    co_await query_primaries();
    co_await examine_cluster();
    for (auto const& p : primaries_)
        co_await examine(p);
}

// The client knows the primaries when it is connected, so this cannot fail.
asio::awaitable<void> cluster_examination::query_primaries()
{
    error_code ec;
    auto const known = co_await detail::query_primaries(client_, {}, asio::redirect_error(asio::use_awaitable, ec));
    auto const named = co_await detail::query_primaries(
        client_, candidates(prefix_, known.size()), asio::redirect_error(asio::use_awaitable, ec));
    for (auto const& p : named)
        add(p);
    co_await query_addresses();
}

void cluster_examination::add(detail::primary_part const& p)
{
    primaries_.push_back({p.slot, p.names.empty() ? std::string() : p.names.front()});
}

// The first primary that tells is enough.
asio::awaitable<void> cluster_examination::query_addresses()
{
    std::vector<primary_range> ranges;
    for (auto const& p : primaries_)
        if (ranges.empty())
            ranges = read_ranges(co_await reply_from(p, ranges_command()));
    for (auto& p : primaries_) {
        p.address = address_of(p.slot, ranges);
        if (p.address.empty())
            p.address = "the primary of slot " + std::to_string(p.slot);
    }
}

asio::awaitable<void> cluster_examination::examine_cluster()
{
    cluster_view view;
    std::string untested;
    detail::command_reply settings;
    for (auto const& p : primaries_) {
        co_await view_from(p, view, untested);
        if (settings.type != kind::list)
            settings = co_await reply_from(p, settings_words());
    }
    report_(judge_coverage(view));
    report_(judge_open_slots(view, untested));
    for (auto const& f : judge_settings(settings, lease_))
        report_(f);
}

// Who may not send CLUSTER NODES may send CLUSTER SLOTS, which does not tell what is half-moved.
asio::awaitable<void> cluster_examination::view_from(primary const& p, cluster_view& view, std::string& untested)
{
    auto const nodes = co_await reply_from(p, nodes_words());
    if (nodes.type == kind::text) {
        add_cluster_nodes(view, nodes.text);
        co_return;
    }
    untested = nodes.type == kind::error ? nodes.text : p.address + " did not reply in time";
    auto const reply = co_await reply_from(p, ranges_command());
    if (auto const ranges = read_ranges(reply); !ranges.empty())
        add_ranges(view, ranges);
}

// A primary that does not reply is not asked further: each question would wait for config::command_timeout.
asio::awaitable<void> cluster_examination::examine(primary const& p)
{
    auto const report = [&](finding f) {
        f.node = p.address;
        report_(f);
    };
    std::vector<std::string> ping(1, "PING");
    error_code ec;
    (void)co_await detail::query_command(
        client_, p.slot, std::move(ping), asio::redirect_error(asio::use_awaitable, ec));
    if (ec) {
        report(unreachable(words_for(ec, client_)));
        co_return;
    }
    examination exam(client_, options_, examined_at(p), report);
    co_await exam();
}

// A function, because GCC 12 calls the destructor of an aggregate twice if a coroutine makes it in an expression.
examined cluster_examination::examined_at(primary const& p) const
{
    probe_names names;
    if (!p.name.empty())
        names = names_for(prefix_, std::string_view(p.name).substr(prefix_.size() + 1));
    names.over_cluster = true;
    return {p.slot, std::move(names)};
}

asio::awaitable<detail::command_reply> cluster_examination::reply_from(primary const& p, std::vector<std::string> words)
{
    error_code ec;
    co_return co_await detail::query_command(
        client_, p.slot, std::move(words), asio::redirect_error(asio::use_awaitable, ec));
}

}  // namespace holdfast::cli
