//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/list_command.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "operations/lock_survey.hpp"
#include "operations/server_query.hpp"
#include "tool/connection.hpp"
#include "tool/exit_status.hpp"
#include "tool/inspection.hpp"
#include "tool/record.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

using namespace asio::experimental::awaitable_operators;

using names = std::set<std::string>;

// The result of a list.
struct outcome {
    error_code ec = {};             // it ended early
    std::size_t not_inspected = 0;  // locks that it had to leave out; each was reported
};

// Whether the survey tells all that is printed of a lock. Of the others it leaves out priorities and terms, of long lists
// the end, and of a semaphore which permits count as free because their time has passed.
bool is_told(detail::lock_record const& r)
{
    using enum detail::recorded_kind;
    bool const is_whole = r.holder_count == r.holders.size();
    bool const is_plain = r.kind == mutex || r.kind == reentrant_or_fair || r.kind == read || r.kind == write;
    bool const has_ended = std::ranges::any_of(r.holders, [](holder const& h) { return h.remaining.count() == 0; });
    return r.kind == latch || (is_whole && (is_plain || (r.kind == semaphore && !has_ended)));
}

permit_count count_permits(detail::lock_record const& r)
{
    permit_count count{.free = r.free_permits};
    for (auto const& h : r.holders)
        count.held += h.weight;
    count.total = static_cast<unsigned>(std::max<std::int64_t>(count.free + count.held, 0));
    return count;
}

inspection to_inspection(detail::lock_record r)
{
    using enum detail::recorded_kind;
    inspection found;
    if (r.kind == semaphore)
        found.permits = count_permits(r);
    found.holders = std::move(r.holders);
    found.is_read_write = r.kind == read || r.kind == write;
    if (auto& w = r.waiting_writer)
        found.waiting_writer = waiter{.id = std::move(w->id), .label = std::move(w->label)};
    if (r.kind == latch)
        found.left = std::move(r.value);
    return found;
}

// Side by side, because one after the other each would cost some round trips.
asio::awaitable<std::vector<inspection>> inspect_all(client& c, std::vector<std::string> const& all)
{
    std::vector<inspection> found;
    if (all.empty())
        co_return found;
    auto const executor = co_await asio::this_coro::executor;
    std::vector<decltype(asio::co_spawn(executor, inspect(c, all.front()), asio::deferred))> queries;
    for (auto const& name : all)
        queries.push_back(asio::co_spawn(executor, inspect(c, name), asio::deferred));
    auto ended = co_await asio::experimental::make_parallel_group(std::move(queries))
                     .async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (auto const& failure : std::get<1>(ended))
        if (failure)
            std::rethrow_exception(failure);
    co_return std::move(std::get<2>(ended));
}

// Prints nothing for a lock that was released since the scan found it.
void show(client& c, std::string const& name, inspection const& found, outcome& result)
{
    if (found.ec) {
        ++result.not_inspected;
        report_error(name + ": " + words_for(found.ec, c));
    } else if (!is_free(found)) {
        print(name, found);
    }
}

asio::awaitable<void> show_page(client& c, std::vector<detail::lock_record> page, names& shown, outcome& result)
{
    std::erase_if(page, [&](auto const& r) { return !shown.insert(r.name).second; });
    std::vector<std::string> untold;
    for (auto const& r : page)
        if (!is_told(r))
            untold.push_back(r.name);
    auto const inspected = co_await inspect_all(c, untold);
    auto next = inspected.begin();
    for (auto& r : page) {
        auto const name = r.name;
        show(c, name, is_told(r) ? to_inspection(std::move(r)) : *next++, result);
    }
}

// The keys of the server, or of the primary of a cluster that has the hash slot, without those that were shown before.
asio::awaitable<void> show_keys(
    client& c, std::uint16_t slot, std::string const& pattern, names& shown, outcome& result)
{
    std::string next = "0";
    do {
        detail::survey_step what{.slot = slot, .from = next, .pattern = pattern, .count = keys_of_step};
        auto page = co_await detail::query_survey(
            c, std::move(what), asio::redirect_error(asio::use_awaitable, result.ec));
        if (result.ec)
            co_return;
        co_await show_page(c, std::move(page.locks), shown, result);
        next = std::move(page.next);
    } while (next != "0");
}

// One primary of a cluster after the other: a primary that does not answer ends it.
asio::awaitable<outcome> show_all(client& c, std::string const& pattern)
{
    outcome result;
    names shown;  // SCAN may return a key twice, and a key may move to a primary that is scanned later
    auto const parts = co_await detail::query_primaries(c, {}, asio::redirect_error(asio::use_awaitable, result.ec));
    for (auto const& part : parts)
        if (!result.ec)
            co_await show_keys(c, part.slot, pattern, shown, result);
    co_return result;
}

asio::awaitable<outcome> show_json(client& c, std::string const& pattern)
{
    auto const all = co_await query_records(c, pattern);
    if (!all.ec)
        print_json(to_json(all));
    co_return outcome{.ec = all.ec};
}

// Returns the exit status, after a report.
asio::awaitable<int> show(client& c, list_arguments const& args, error_code& ec)
{
    outcome result;
    if (args.json)
        result = co_await show_json(c, args.pattern);
    else
        result = co_await show_all(c, args.pattern);
    ec = result.ec;
    if (ec)
        co_return report_failure(ec, c);
    if (result.not_inspected == 0)
        co_return ok;
    report_error("the list is not complete: " + std::to_string(result.not_inspected) + " locks could not be read");
    co_return unavailable;
}

// On a terminal each list takes the place of the one before it. In a file or a pipe an empty line ends each list; a
// line of JSON needs no separator.
void separate(list_arguments const& args, bool is_first)
{
    if (args.json)
        return;
    if (::isatty(STDOUT_FILENO) != 0)
        std::fputs("\x1b[H\x1b[2J", stdout);
    else if (!is_first)
        std::fputs("\n", stdout);
}

// A failure is reported and does not end it: the client connects again.
asio::awaitable<int> show_again_and_again(client& c, list_arguments const& args)
{
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (bool is_first = true;; is_first = false) {
        separate(args, is_first);
        error_code ec;
        int const status = co_await show(c, args, ec);
        if (ec == errc::not_running || ec == errc::client_stopped)
            co_return status;
        if (!flush_output())
            co_return ok;  // main() reports it
        timer.expires_after(args.interval);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<int> watch(client& c, list_arguments const& args)
{
    asio::signal_set signals(co_await asio::this_coro::executor, SIGINT, SIGTERM);
    auto const ended = co_await (show_again_and_again(c, args) || signals.async_wait(asio::use_awaitable));
    c.stop();  // it holds no lock, so there is nothing to wait for
    co_return ended.index() == 0 ? std::get<0>(ended) : ok;
}

asio::awaitable<int> run(client& c, list_arguments const& args)
{
    if (int const status = co_await connect(c, longest_connect); status != ok)
        co_return status;
    if (args.watch)
        co_return co_await watch(c, args);
    error_code ignored;
    co_return co_await show(c, args, ignored);
}

}  // namespace

int list_command(server_address const& server, list_arguments const& args)
{
    asio::io_context context(1);
    return run_with_client(context, make_config(server), [&](client& c) { return run(c, args); });
}

}  // namespace holdfast::cli
