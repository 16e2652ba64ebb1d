//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/dashboard_command.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <signal.h>
#include <stdexcept>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>

#include <holdfast/any_lock.hpp>

#include "tool/connection.hpp"
#include "tool/dashboard/access_token.hpp"
#include "tool/dashboard/collector.hpp"
#include "tool/dashboard/display_text.hpp"
#include "tool/dashboard/http_server.hpp"
#include "tool/dashboard/json.hpp"
#include "tool/dashboard/listen_address.hpp"
#include "tool/exit_status.hpp"
#include "tool/inspection.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace dashboard {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;

constexpr auto sample_interval = 2s;

tcp::endpoint listen_address(dashboard_arguments const& args)
{
    auto const at = parse_listen_address(args.listen);
    if (!at)
        throw std::invalid_argument(
            "--listen: '" + args.listen + "' is not an address and a port, such as 127.0.0.1:8077 or [::1]:8077");
    return *at;
}

// Who reaches the address may see the locks; who may release them must have a token, also on this machine.
bool needs_token(tcp::endpoint const& at, dashboard_arguments const& args)
{
    return !at.address().is_loopback() || args.allow_release;
}

std::string to_text(tcp::endpoint const& at)
{
    auto const address = at.address().to_string();
    return (at.address().is_v6() ? "[" + address + "]" : address) + ":" + std::to_string(at.port());
}

http_server listen(asio::io_context& context, tcp::endpoint const& at)
{
    try {
        return http_server(context.get_executor(), at);
    } catch (boost::system::system_error const& e) {
        throw std::runtime_error("cannot listen on " + to_text(at) + ": " + e.code().message());
    }
}

std::string make_greeting(dashboard_arguments const& args, std::int64_t opened_ms)
{
    json::object const all{
        {"pattern", display_text(args.pattern)}, {"allow_release", args.allow_release}, {"opened_ms", opened_ms}};
    return json::serialize(all);
}

asio::awaitable<release_result> release(client& c, release_order order)
{
    using kind = release_result::kind;
    auto const found = co_await inspect(c, order.name);
    if (found.ec)
        co_return release_result{kind::failed, words_for(found.ec, c)};
    if (found.holders.empty())
        co_return release_result{kind::was_free, {}};
    if (std::ranges::none_of(found.holders, [&](holder const& h) { return display_text(h.id) == order.holder; }))
        co_return release_result{kind::has_other_holder, {}};
    error_code ec;
    bool const was_held = co_await force_release(c, order.name, found, ec);
    if (ec)
        co_return release_result{kind::failed, words_for(ec, c)};
    co_return release_result{was_held ? kind::released : kind::was_free, {}};
}

// Everything that lives as long as the dashboard.
class dashboard {
public:
    dashboard(asio::io_context& context, dashboard_arguments const& args)
        : args_(args), server_(listen(context, listen_address(args))), site_{.state = board_}
    {
        auto const at = server_.endpoint();
        auto& guard = site_.guard;
        guard.token = read_access_token(args.token_file);
        is_token_made_ = guard.token.empty() && needs_token(at, args);
        if (is_token_made_)
            guard.token = make_access_token();
        guard.is_loopback = at.address().is_loopback();
        guard.host_names = args.hosts;
        guard.cookie = "holdfast_" + std::to_string(at.port());
        site_.greeting = make_greeting(args, board_.opened_ms());
    }

    asio::awaitable<int> run(client& c)
    {
        using namespace asio::experimental::awaitable_operators;
        if (int const status = co_await connect(c, longest_connect); status != ok)
            co_return status;
        if (args_.allow_release)
            site_.release = [this, &c](release_order order) { return release_and_note(c, std::move(order)); };
        asio::signal_set signals(co_await asio::this_coro::executor, SIGINT, SIGTERM);
        if (!announce())   // who reads it may connect, or send a signal, at once
            co_return ok;  // main() reports it
        server_.start(site_);
        auto const ended = co_await (collect(c) || sample() || signals.async_wait(asio::use_awaitable));
        server_.stop(site_);
        c.stop();  // there is nothing to release, so a server that does not answer need not be waited for
        if (ended.index() != 0)
            co_return ok;
        co_return report_failure(std::get<0>(ended), c);
    }

private:
    asio::awaitable<error_code> collect(client& c)
    {
        collector all(c, board_, args_.pattern, args_.interval);
        co_return co_await all.run();
    }

    asio::awaitable<void> sample()
    {
        asio::steady_timer timer(co_await asio::this_coro::executor);
        for (;;) {
            timer.expires_after(sample_interval);
            co_await timer.async_wait(asio::use_awaitable);
            board_.tick(moment::now());
        }
    }

    asio::awaitable<release_result> release_and_note(client& c, release_order order)
    {
        auto const name = order.name;
        holder who;
        who.id = order.holder;
        auto result = co_await release(c, std::move(order));
        if (result.what == release_result::kind::released)
            board_.note_force_release(name, who, moment::now());
        co_return result;
    }

    // A token that the user has given is not printed: the output may be in a log. It is behind the # of the URL, which
    // browsers do not send to the server.
    bool announce() const
    {
        auto const page = "http://" + to_text(server_.endpoint()) + "/";
        say("dashboard: " + page + (is_token_made_ ? "#token=" + site_.guard.token : ""));
        return flush_output();
    }

    dashboard_arguments const& args_;
    bool is_token_made_ = false;
    board board_{moment::now()};
    http_server server_;
    site site_;
};

}  // namespace
}  // namespace dashboard

int dashboard_command(server_address const& server, dashboard_arguments const& args)
{
    asio::io_context context(1);
    dashboard::dashboard all(context, args);
    return run_with_client(context, make_config(server), [&](client& c) { return all.run(c); });
}

}  // namespace holdfast::cli
