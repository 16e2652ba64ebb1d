//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/record.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "operations/server_query.hpp"
#include "tool/dashboard/json.hpp"
#include "tool/dashboard/moment.hpp"
#include "tool/inspection.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

// The survey knows tokens of Holdfast and Redisson only. A mutex excludes other libraries, too.
void add_foreign_holder(detail::lock_record& r, inspection found)
{
    if (r.kind != detail::recorded_kind::free || found.holders.empty())
        return;
    r.kind = found.permits ? detail::recorded_kind::semaphore
             : found.leads ? detail::recorded_kind::election
                           : detail::recorded_kind::mutex;
    r.holder_count = found.holders.size();
    r.holders = std::move(found.holders);
}

}  // namespace

asio::awaitable<record_result> query_record(client& c, std::string const& name)
{
    record_result result;
    auto found = co_await inspect(c, name);
    if (found.ec) {
        result.ec = found.ec;
        co_return result;
    }
    auto page = co_await detail::query_survey(
        c, detail::survey_of(name), asio::redirect_error(asio::use_awaitable, result.ec));
    result.record.name = name;
    if (!page.locks.empty())
        result.record = std::move(page.locks.front());
    add_foreign_holder(result.record, std::move(found));
    co_return result;
}

// Adds the locks of the server, or of the primary of a cluster that has the slot.
asio::awaitable<error_code> add_records(client& c, std::uint16_t slot, std::string const& pattern, records_result& to)
{
    error_code ec;
    std::string next = "0";
    do {
        detail::survey_step what{.slot = slot, .from = next, .pattern = pattern, .count = keys_of_step};
        auto page = co_await detail::query_survey(c, std::move(what), asio::redirect_error(asio::use_awaitable, ec));
        if (ec)
            co_return ec;
        for (auto& lock : page.locks)
            if (lock.kind != detail::recorded_kind::free)
                to.locks.insert_or_assign(lock.name, lock);
        next = std::move(page.next);
    } while (next != "0");
    co_return ec;
}

asio::awaitable<records_result> query_records(client& c, std::string const& pattern)
{
    records_result result;
    auto const parts = co_await detail::query_primaries(c, {}, asio::redirect_error(asio::use_awaitable, result.ec));
    for (auto const& part : parts)
        if (!result.ec)
            result.ec = co_await add_records(c, part.slot, pattern, result);
    co_return result;
}

boost::json::object to_json(records_result const& all)
{
    boost::json::array locks;
    for (auto const& [name, lock] : all.locks)
        locks.push_back(dashboard::to_json(lock, std::chrono::milliseconds(0)));
    return {{"wall_ms", dashboard::moment::now().wall_ms}, {"locks", std::move(locks)}};
}

void print_json(boost::json::object const& all)
{
    say(boost::json::serialize(all));
    std::fflush(stdout);
}

}  // namespace holdfast::cli
