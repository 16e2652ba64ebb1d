//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/examination.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <holdfast/reentrant_lock.hpp>

#include "operations/command_query.hpp"
#include "operations/server_query.hpp"
#include "tool/connection.hpp"
#include "tool/rights.hpp"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr int round_trips = 100;  // one after the other
constexpr auto slow = 100ms;
constexpr auto observed = 500ms;  // of the server's clock, at least
// For replies that do not come, all together: less than config::command_timeout, so that one is enough.
constexpr auto longest_silence = 2s;

// g++ 12 does not compile a list of words inside a coroutine.
std::vector<std::string> read_clock_words()
{
    return {"TIME"};
}

std::vector<std::string> own_number_words()
{
    return {"CLIENT", "ID"};
}

std::vector<std::string> delete_words(probe_names const& n)
{
    return {"UNLINK", n.key, n.fence};
}

std::vector<std::string> expire_words(std::string const& key)
{
    return {"PEXPIRE", key, "1000"};
}

}  // namespace

examination::examination(client& c, config options, examined what, report_function report)
    : client_(c),
      options_(std::move(options)),
      report_(std::move(report)),
      slot_(what.slot),
      names_(std::move(what.names)),
      lock_(c, names_.key, {.fencing = true})
{}

asio::awaitable<void> examination::operator()()
{
    report({grade::good, "HELLO 3", "the server speaks RESP3"});  // without it there is no connection
    co_await examine();
    if (is_silent())
        report_(
            {grade::bad,
             "replies",
             "there was none in time to " + unanswered_
                 + ", although the server has accepted the connection; the rest is not tested"});
}

// Whoever lacks a right to a command of all locks tries no lock, and so leaves no key that nobody may delete.
asio::awaitable<void> examination::examine()
{
    co_await reply_to(read_clock_words());
    co_await query_server();
    auto const first = co_await read_server_clock();
    if (names_.key.empty())
        report_without_names();
    else
        co_await try_names();
    co_await compare_clocks(first);
}

// What follows a silence was not tested.
void examination::report(finding const& f)
{
    if (!is_silent())
        report_(f);
}

// There was no reply: in time, or because the server closed the connection.
void examination::count_silence(time_point sent, std::string_view command)
{
    in_vain_ += clock::now() - sent;
    if (in_vain_ >= longest_silence && !is_silent())
        unanswered_ = command;
}

void examination::report_without_names()
{
    report(
        {grade::doubtful,
         "access",
         "not tested: all names that begin so are in a hash slot of another primary; give a NAME without braces"});
}

asio::awaitable<void> examination::try_names()
{
    bool may_lock = !is_replica_;
    if (may_lock)
        may_lock = co_await has_rights();
    if (may_lock)
        co_await try_locks();
    co_await try_probes();
    co_await measure();
}

asio::awaitable<command_reply> examination::reply_to(std::vector<std::string> words)
{
    command_reply reply;
    if (is_silent())
        co_return reply;
    auto const command = words.front();
    auto const sent = clock::now();
    error_code ec;
    reply = co_await detail::query_command(
        client_, slot_, std::move(words), asio::redirect_error(asio::use_awaitable, ec));
    if (reply.type == command_reply::kind::none)
        count_silence(sent, command);
    co_return reply;
}

// A user without the right to INFO can use locks, so an error is only a warning.
asio::awaitable<void> examination::query_server()
{
    if (is_silent())
        co_return;
    auto const sent = clock::now();
    error_code ec;
    auto const info = co_await detail::query_server_info(client_, slot_, asio::redirect_error(asio::use_awaitable, ec));
    if (ec == errc::unavailable)
        count_silence(sent, "INFO");
    if (ec)
        report({grade::doubtful, "INFO", std::string(without_info) + " (" + words_for(ec, client_) + ")"});
    else
        for (auto const& f : diagnose(info, names_.over_cluster ? role::primary_of_cluster : role::only_server))
            report(f);
    is_replica_ = cli::is_replica(info);
    names_.in_cluster_mode = cli::is_in_cluster_mode(info);
    names_.sharded_messages = names_.over_cluster && may_have_sharded_messages(info);
    report(judge_output_limit(co_await reply_to(output_limit_words())));
}

asio::awaitable<bool> examination::has_rights()
{
    auto const f = judge_rights(co_await reply_to(rights_script(names_.key)));
    report(f);
    co_return f.grade != grade::bad;
}

// The two kinds use different commands. The reentrant lock has no fencing, because its counter never expires.
asio::awaitable<void> examination::try_locks()
{
    reentrant_lock const reentrant(client_, names_.key, client_.make_owner());
    if (co_await try_lock(lock_) && co_await try_lock(reentrant))
        report({grade::good, "access", "this user may acquire, renew and release such a lock as " + names_.key});
    co_await forget_keys();
}

// The operations of a lock, one after the other, until the server refuses one. False: refused.
asio::awaitable<bool> examination::try_lock(any_lock lock)
{
    if (is_silent())
        co_return false;
    auto const sent = clock::now();
    error_code ec;
    auto const token = asio::redirect_error(asio::use_awaitable, ec);
    auto held = co_await lock.try_acquire({.lease = 10s}, token);
    if (!ec)
        co_await held.extend(20s, token);
    if (!ec)
        (void)co_await lock.holders(token);
    if (!ec)
        co_await held.release(token);
    if (ec == errc::unavailable)
        count_silence(sent, "the commands of a lock");
    if (ec)
        report({grade::bad, "access", names_.key + ": " + words_for(ec, client_)});
    co_return !ec;
}

// The counter of a fenced mutex would last for a day, and a lock that cannot be released for its lease time.
asio::awaitable<void> examination::forget_keys()
{
    auto const reply = co_await reply_to(delete_words(names_));
    if (reply.type == command_reply::kind::error)
        co_await reply_to(expire_words(names_.fence));
}

asio::awaitable<void> examination::try_probes()
{
    if (is_silent())
        co_return;
    spare_connection spare(co_await asio::this_coro::executor, options_, slot_);
    if (co_await spare.opens())
        if (auto const id = co_await spare.reply_to(own_number_words()); id.type == command_reply::kind::integer)
            names_.spare_id = std::to_string(id.integer);
    for (auto const& p : probes())
        if (applies(p.when, names_))
            report(to_finding(p, co_await reply_for(p, spare)));
}

asio::awaitable<command_reply> examination::reply_for(probe const& p, spare_connection& spare)
{
    if (p.from == sender::client || is_silent())
        co_return co_await reply_to(p.command(names_));
    auto const sent = clock::now();
    auto reply = co_await reply_elsewhere(p, spare);
    if (reply.type == command_reply::kind::none)
        count_silence(sent, p.topic);
    co_return reply;
}

asio::awaitable<command_reply> examination::reply_elsewhere(probe const& p, spare_connection& spare)
{
    if (p.from == sender::spare)
        co_return co_await spare.reply_to(p.command(names_));
    spare_connection subscriber(co_await asio::this_coro::executor, options_, slot_);
    if (co_await subscriber.opens())
        co_return co_await subscriber.reply_behind(p.command(names_));
    co_return command_reply{};
}

// The cheapest operation that needs one round trip and changes nothing.
asio::awaitable<void> examination::measure()
{
    if (is_silent())
        co_return;
    std::vector<clock::duration> trips;
    error_code ec;
    for (int i = 0; i < round_trips && !ec; ++i) {
        auto const sent = clock::now();
        (void)co_await lock_.is_locked(asio::redirect_error(asio::use_awaitable, ec));
        trips.push_back(clock::now() - sent);
    }
    if (ec)
        co_return;
    std::ranges::sort(trips);
    report_latency(trips[trips.size() / 2], trips.back());
}

void examination::report_latency(clock::duration median, clock::duration most)
{
    auto const ms = [](clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
    char words[80];
    std::snprintf(words, sizeof words, "%.2f ms, at most %.2f ms of %d", ms(median), ms(most), round_trips);
    report({most < slow ? grade::good : grade::doubtful, "latency", words});
}

asio::awaitable<std::optional<clock_reading>> examination::read_server_clock()
{
    auto const sent = clock::now();
    auto const reply = co_await reply_to(read_clock_words());
    co_return read_clock(reply, sent, clock::now());
}

asio::awaitable<void> examination::compare_clocks(std::optional<clock_reading> first)
{
    if (is_silent())
        co_return;
    asio::steady_timer rest(co_await asio::this_coro::executor, first ? first->sent + observed : clock::now());
    co_await rest.async_wait(asio::use_awaitable);
    auto const second = co_await read_server_clock();
    if (first && second)
        report(judge_clock(*first, *second));
    else
        report({grade::doubtful, "clock", "not tested: TIME is denied, or the server did not reply in time"});
}

}  // namespace holdfast::cli
