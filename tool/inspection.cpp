//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/inspection.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <holdfast/fair_lock.hpp>
#include <holdfast/mutex.hpp>
#include <holdfast/read_write_lock.hpp>

#include "operations/lock_survey.hpp"
#include "tool/leadership_text.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

std::string mode_of(holder const& h, inspection const& of)
{
    if (!of.is_read_write)
        return "held by ";
    return h.writer ? "held for writing by " : "held for reading by ";
}

std::string in_seconds(std::chrono::milliseconds d)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(d.count()) / 1000);
    return text;
}

template <class Holder>
std::string name_of(Holder const& h)
{
    return h.label.empty() ? h.id : h.id + " (" + h.label + ")";
}

std::string describe(waiter const& w)
{
    auto text = name_of(w);
    if (w.priority != waiter().priority)
        text += ", priority " + std::to_string(w.priority);
    if (w.waited)
        text += ", for " + in_seconds(*w.waited);
    return text;
}

std::string describe(holder const& h)
{
    if (h.remaining.count() < 0)
        return name_of(h) + ", for ever: the key has no time to live";
    return name_of(h) + ", for " + in_seconds(h.remaining) + " more unless renewed";
}

asio::awaitable<inspection> query(any_lock lock)
{
    inspection found;
    found.holders = co_await lock.holders(asio::redirect_error(asio::use_awaitable, found.ec));
    co_return found;
}

// The holders of a mutex are all fields of a hash: those of a read_write_lock contain its field "mode", which is no
// token.
bool has_mode(inspection const& of)
{
    return std::ranges::find(of.holders, "mode", &holder::id) != of.holders.end();
}

// The string of a semaphore is the number of free permits.
bool has_number(inspection const& of)
{
    constexpr auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (of.holders.size() != 1)
        return false;
    std::string_view text = of.holders.front().id;
    text.remove_prefix(text.starts_with('-') ? 1 : 0);
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

void print_permits(std::string const& name, permit_count const& count)
{
    if (count.total == 0 && count.held == 0)
        return say(name + ": no permits");
    say(name + ": " + std::to_string(count.held) + " of " + std::to_string(count.total) + " permits held, "
        + std::to_string(count.free) + " free");
}

std::string permits_of(holder const& h)
{
    if (h.number > 0)
        return "number " + std::to_string(h.number) + " ";
    return h.weight > 1 ? std::to_string(h.weight) + " permits " : "";
}

// With waiters it must be a fair lock, because force_release() then notifies the first waiter. For all others a mutex
// deletes the same keys.
any_lock handle_of(client& c, std::string const& name, inspection const& of)
{
    if (of.permits)
        return semaphore(c, name, {});
    if (of.is_read_write)
        return read_write_lock(c, name).write();
    if (!of.waiters.empty())
        return fair_lock(c, name);
    return mutex(c, name);
}

// What is left to count; empty: it is no latch of Holdfast, or the server does not tell.
asio::awaitable<std::string> query_latch(client& c, std::string const& name)
{
    error_code ec;
    auto const page = co_await detail::query_survey(
        c, detail::survey_of(name), asio::redirect_error(asio::use_awaitable, ec));
    bool const is_latch = !page.locks.empty() && page.locks.front().kind == detail::recorded_kind::latch;
    co_return is_latch ? page.locks.front().value : std::string();
}

// None: the lock is that of no election of Holdfast, or the server does not tell.
asio::awaitable<std::optional<leader>> query_leader(client& c, std::string const& name)
{
    error_code ec;
    auto now = co_await election(c, name).current(asio::redirect_error(asio::use_awaitable, ec));
    if (ec || !now || now->term == 0)
        co_return std::nullopt;
    co_return now;
}

asio::awaitable<inspection> inspect_read_write(client& c, std::string const& name)
{
    read_write_lock const lock(c, name);
    auto found = co_await query(lock.write());
    found.is_read_write = true;
    if (!found.ec)
        found.waiting_writer = co_await lock.waiting_writer(asio::redirect_error(asio::use_awaitable, found.ec));
    co_return found;
}

// A number alone may be the token of another library: the other keys decide.
asio::awaitable<inspection> inspect_number(client& c, std::string const& name, inspection found)
{
    auto permits = co_await inspect_permits(c, name);
    if (!permits.ec && permits.permits->held > 0)
        co_return permits;
    found.left = co_await query_latch(c, name);
    if (!found.left.empty())
        found.holders.clear();
    co_return found;
}

}  // namespace

asio::awaitable<inspection> inspect_permits(client& c, std::string const& name)
{
    semaphore const permits(c, name, {.numbered = true});
    error_code ec;
    auto const count = co_await permits.permits(asio::redirect_error(asio::use_awaitable, ec));
    auto found = co_await query(permits);
    if (ec)
        found.ec = ec;
    found.permits = count;
    co_return found;
}

asio::awaitable<inspection> inspect(client& c, std::string const& name)
{
    // A mutex reads the holders of a reentrant lock and of a fair lock, too, because all three exclude one another.
    auto found = co_await query(mutex(c, name));
    if (has_number(found))
        co_return co_await inspect_number(c, name, std::move(found));
    if (has_mode(found))
        co_return co_await inspect_read_write(c, name);
    if (!found.holders.empty())
        found.leads = co_await query_leader(c, name);
    if (!found.ec)
        found.waiters = co_await fair_lock(c, name).waiters(asio::redirect_error(asio::use_awaitable, found.ec));
    co_return found;
}

bool is_free(inspection const& of)
{
    return of.holders.empty() && of.left.empty();
}

asio::awaitable<bool> force_release(client& c, std::string const& name, inspection const& of, error_code& ec)
{
    auto const token = asio::redirect_error(asio::use_awaitable, ec);
    if (of.leads)
        co_return co_await election(c, name).force_release(token);
    auto const lock = handle_of(c, name, of);
    co_return co_await lock.force_release(token);
}

void print(std::string const& name, inspection const& of)
{
    if (of.permits)
        print_permits(name, *of.permits);
    else if (!of.left.empty())
        say(name + ": a latch, " + of.left + " left to count");
    else if (of.holders.empty())
        say(name + ": free");
    if (of.leads)
        say(name + ": " + to_text(*of.leads));
    for (auto const& h : of.holders)
        say(name + ": " + permits_of(h) + mode_of(h, of) + describe(h));
    if (of.waiting_writer)
        say(name + ": a writer waits: " + name_of(*of.waiting_writer));
    int place = 0;
    for (auto const& w : of.waiters)
        say(name + ": number " + std::to_string(++place) + " in the queue: " + describe(w));
}

}  // namespace holdfast::cli
