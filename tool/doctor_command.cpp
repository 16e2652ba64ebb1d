//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/doctor_command.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <holdfast/any_lock.hpp>
#include <holdfast/mutex.hpp>
#include <holdfast/reentrant_lock.hpp>

#include "operations/server_query.hpp"
#include "tool/connection.hpp"
#include "tool/diagnosis.hpp"
#include "tool/exit_status.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr int round_trips = 100;  // one after the other
constexpr auto slow = 100ms;

// The tests, in the order in which they are printed. `warnings` receives the log lines of both clients.
class examination {
public:
    examination(client& c, client& other, std::string name, std::vector<std::string> const& warnings)
        : client_(c), other_(other), name_(std::move(name)), warnings_(warnings)
    {}

    asio::awaitable<int> operator()()
    {
        co_await query_server();
        // With fencing, so that the commands for counters are tested, too. The two kinds use different commands.
        mutex const plain(client_, name_, {.fencing = true});
        reentrant_lock const reentrant(client_, name_, client_.make_owner(), {.fencing = true});
        bool const is_permitted = co_await try_lock(plain) && co_await try_lock(reentrant);
        if (is_permitted && co_await try_to_wait(plain))
            report_access();
        co_await measure(plain);
        co_return worst_ == grade::bad ? unfit : ok;
    }

private:
    // A user without the right to INFO can use locks, so an error is only a warning.
    asio::awaitable<void> query_server()
    {
        error_code ec;
        auto const info = co_await detail::query_server_info(client_, asio::redirect_error(asio::use_awaitable, ec));
        if (ec)
            report({grade::doubtful, "server", "INFO: " + words_for(ec, client_)});
        else
            for (auto const& f : diagnose(info))
                report(f);
    }

    // The operations of a lock, one after the other, until the server refuses one. False: refused, or not tested.
    asio::awaitable<bool> try_lock(any_lock lock)
    {
        error_code ec;
        auto const token = asio::redirect_error(asio::use_awaitable, ec);
        auto held = co_await lock.try_acquire({.lease = 10s}, token);
        // Never by force: the user may have given the name of a lock that is in use.
        if (!ec && held.empty()) {
            report(
                {grade::doubtful, "access", name_ + " is held by another client, so the access rules were not tested"});
            co_return false;
        }
        if (!ec)
            co_await held.extend(20s, token);
        if (!ec)
            (void)co_await lock.holders(token);
        if (!ec)
            co_await held.release(token);
        if (ec)
            report({grade::bad, "access", words_for(ec, client_)});
        co_return !ec;
    }

    // A second client waits for the lock, because only a waiter subscribes, and two contenders of one client would not
    // need the server for it. If the server refuses the subscription, the client polls, and logs a warning.
    asio::awaitable<bool> try_to_wait(any_lock lock)
    {
        error_code ec;
        auto const token = asio::redirect_error(asio::use_awaitable, ec);
        auto const held = co_await lock.try_acquire({.lease = 10s}, token);
        if (int const status = co_await connect(other_, longest_connect); status != ok)
            co_return false;
        // Its result does not matter: `held` keeps the lock busy.
        (void)co_await mutex(other_, name_).try_acquire({.wait = 500ms}, token);
        co_return true;
    }

    void report_access()
    {
        if (warnings_.empty())
            report({grade::good, "access", "this user may acquire, renew, release and wait for " + name_});
        else
            report({grade::doubtful, "access", warnings_.back()});
    }

    // The cheapest operation that needs one round trip and changes nothing.
    asio::awaitable<void> measure(any_lock lock)
    {
        std::vector<clock::duration> trips;
        error_code ec;
        for (int i = 0; i < round_trips && !ec; ++i) {
            auto const sent = clock::now();
            (void)co_await lock.is_locked(asio::redirect_error(asio::use_awaitable, ec));
            trips.push_back(clock::now() - sent);
        }
        if (ec)
            co_return;
        std::ranges::sort(trips);
        report_latency(trips[trips.size() / 2], trips.back());
    }

    void report_latency(clock::duration median, clock::duration most)
    {
        auto const ms = [](clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
        char words[80];
        std::snprintf(words, sizeof words, "%.2f ms, at most %.2f ms of %d", ms(median), ms(most), round_trips);
        report({most < slow ? grade::good : grade::doubtful, "latency", words});
    }

    void report(finding const& f)
    {
        constexpr char const* marks[] = {"ok  ", "warn", "BAD "};
        auto const topic = f.topic + std::string(f.topic.size() < 12 ? 12 - f.topic.size() : 0, ' ');
        say(std::string(marks[static_cast<int>(f.grade)]) + "  " + topic + " " + f.words);
        worst_ = std::max(worst_, f.grade);
    }

    client& client_;
    client& other_;
    std::string const name_;
    std::vector<std::string> const& warnings_;
    grade worst_ = grade::good;
};

}  // namespace

int doctor_command(std::string const& url, doctor_arguments const& args)
{
    asio::io_context context(1);
    std::vector<std::string> warnings;
    auto options = make_config(url);
    options.log = [&](log_level level, std::string_view line) {
        if (level >= log_level::warning)
            warnings.emplace_back(line);
    };
    // It outlives the clients that run_with_client() makes, and is started when the first one is connected: a server
    // that cannot be reached is reported once.
    client other(context, options);
    return run_with_client(context, options, [&](client& c) -> asio::awaitable<int> {
        if (int const status = co_await connect(c, longest_connect); status != ok)
            co_return status;
        other.run(asio::detached);
        examination exam(c, other, args.name, warnings);
        int const status = co_await exam();
        other.stop();  // otherwise it would keep the context running
        co_return status;
    });
}

}  // namespace holdfast::cli
