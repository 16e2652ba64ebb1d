//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/status_command.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <tuple>
#include <utility>

#include <boost/asio/cancel_after.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>

#include "tool/connection.hpp"
#include "tool/dashboard/display_text.hpp"
#include "tool/dashboard/json.hpp"
#include "tool/dashboard/moment.hpp"
#include "tool/exit_status.hpp"
#include "tool/inspection.hpp"
#include "tool/record.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

// What one server knows of the lock.
struct server_state {
    error_code ec;
    std::string failure;  // empty: there is a state
    inspection found;
    detail::lock_record record;  // only with --json
};

asio::awaitable<error_code> query(client& c, status_arguments const& args, server_state& state)
{
    if (!args.json) {
        state.found = co_await inspect(c, args.name);
        co_return state.found.ec;
    }
    auto result = co_await query_record(c, args.name);
    state.record = std::move(result.record);
    co_return result.ec;
}

asio::awaitable<server_state> state_of(client& c, status_arguments const& args)
{
    server_state state;
    co_await c.ready(asio::cancel_after(longest_connect, asio::redirect_error(asio::use_awaitable, state.ec)));
    bool const is_connected = !state.ec;
    if (is_connected)
        state.ec = co_await query(c, args, state);
    if (state.ec)
        state.failure = (is_connected ? "" : "cannot connect to Redis: ") + words_for(state.ec, c);
    co_return state;
}

// At the same time: a server that cannot be reached does not delay the others.
asio::awaitable<std::vector<server_state>> states_of(std::deque<client>& all, status_arguments const& args)
{
    auto const executor = co_await asio::this_coro::executor;
    std::vector<decltype(asio::co_spawn(executor, state_of(all.front(), args), asio::deferred))> queries;
    for (auto& c : all)
        queries.push_back(asio::co_spawn(executor, state_of(c, args), asio::deferred));
    auto ended = co_await asio::experimental::make_parallel_group(std::move(queries))
                     .async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (auto const& failure : std::get<1>(ended))
        if (failure)
            std::rethrow_exception(failure);
    co_return std::move(std::get<2>(ended));
}

bool is_held(server_state const& s)
{
    return s.failure.empty() && (!is_free(s.found) || s.record.kind != detail::recorded_kind::free);
}

std::size_t count_held(std::vector<server_state> const& all)
{
    return static_cast<std::size_t>(std::ranges::count_if(all, is_held));
}

std::size_t count_failed(std::vector<server_state> const& all)
{
    return static_cast<std::size_t>(std::ranges::count_if(all, [](auto const& s) { return !s.failure.empty(); }));
}

boost::json::object to_json(server_state const& s, std::size_t number)
{
    boost::json::object one{{"number", number}, {"error", nullptr}, {"lock", nullptr}};
    if (s.failure.empty())
        one["lock"] = dashboard::to_json(s.record, std::chrono::milliseconds(0));
    else
        one["error"] = dashboard::display_text(s.failure);
    return one;
}

void print_as_json(std::vector<server_state> const& all)
{
    boost::json::array servers;
    for (auto const& s : all)
        servers.push_back(to_json(s, servers.size() + 1));
    print_json(
        {{"wall_ms", dashboard::moment::now().wall_ms},
         {"servers", std::move(servers)},
         {"held_on", count_held(all)},
         {"failed_on", count_failed(all)}});
}

// The holders of the servers are not compared: each member of a red_lock has a token of its own.
void print_summary(std::string const& name, std::vector<server_state> const& all)
{
    auto const held = count_held(all), failed = count_failed(all);
    auto const of_all = " of " + std::to_string(all.size()) + " servers";
    auto const verdict = held > all.size() / 2            ? "a majority"
                         : held + failed > all.size() / 2 ? "perhaps a majority"
                                                          : "no majority";
    say(name + ": held on " + std::to_string(held) + of_all + ", " + verdict
        + (failed > 0 ? "; the state of " + std::to_string(failed) + " is not known" : ""));
}

void print_blocks(std::string const& name, std::vector<server_state> const& all)
{
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const title = "server " + std::to_string(i + 1);
        say(title + (all[i].failure.empty() ? ":" : ": " + all[i].failure));
        if (all[i].failure.empty())
            print(name, all[i].found);
    }
    print_summary(name, all);
}

void print(std::string const& name, std::vector<server_state> const& all)
{
    if (all.size() > 1)
        print_blocks(name, all);
    else if (all.front().failure.empty())
        print(name, all.front().found);
    else
        report_error(all.front().failure);
}

int status_of(std::vector<server_state> const& all)
{
    if (all.size() == 1 && all.front().ec == cond::misuse)
        return bad_usage;
    return count_failed(all) * 2 < all.size() ? ok : unavailable;
}

asio::awaitable<int> show(std::deque<client>& all, status_arguments const& args)
{
    auto const states = co_await states_of(all, args);
    if (args.json)
        print_as_json(states);
    else
        print(args.name, states);
    // Nothing is held, so a server that does not answer need not be waited for.
    for (auto& c : all)
        c.stop();
    co_return status_of(states);
}

}  // namespace

int status_command(std::vector<server_address> const& servers, status_arguments const& args)
{
    asio::io_context context(1);
    std::vector<config> options;
    for (auto const& server : servers)
        options.push_back(make_config(server));
    return run_with_clients(context, options, [&](std::deque<client>& all) { return show(all, args); });
}

}  // namespace holdfast::cli
