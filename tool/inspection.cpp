//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/inspection.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <holdfast/fair_lock.hpp>
#include <holdfast/mutex.hpp>
#include <holdfast/read_write_lock.hpp>

#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

std::string mode_of(holder const& h, inspection const& of)
{
    if (!of.is_read_write)
        return "held by ";
    return h.writer ? "held for writing by " : "held for reading by ";
}

std::string name_of(holder const& h)
{
    return h.label.empty() ? h.id : h.id + " (" + h.label + ")";
}

std::string describe(holder const& h)
{
    if (h.remaining.count() < 0)
        return name_of(h) + ", for ever: the key has no time to live";
    char rest[64];
    std::snprintf(
        rest, sizeof rest, ", for %.1f s more unless renewed", static_cast<double>(h.remaining.count()) / 1000);
    return name_of(h) + rest;
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

std::string permits_of(holder const& h, inspection const& of)
{
    return of.permits && h.weight > 1 ? std::to_string(h.weight) + " permits " : "";
}

}  // namespace

asio::awaitable<inspection> inspect_permits(client& c, std::string const& name)
{
    semaphore const permits(c, name, {});
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
    if (has_number(found)) {
        // A number alone may be the token of another library: the members of the holders decide.
        auto permits = co_await inspect_permits(c, name);
        if (!permits.ec && permits.permits->held > 0)
            co_return permits;
    }
    if (has_mode(found)) {
        found = co_await query(read_write_lock(c, name).write());
        found.is_read_write = true;
    } else if (!found.ec)
        found.waiters = co_await fair_lock(c, name).waiters(asio::redirect_error(asio::use_awaitable, found.ec));
    co_return found;
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

void print(std::string const& name, inspection const& of)
{
    if (of.permits)
        print_permits(name, *of.permits);
    else if (of.holders.empty())
        say(name + ": free");
    for (auto const& h : of.holders)
        say(name + ": " + permits_of(h, of) + mode_of(h, of) + describe(h));
    int place = 0;
    for (auto const& w : of.waiters)
        say(name + ": number " + std::to_string(++place) + " in the queue: " + name_of(w));
}

}  // namespace holdfast::cli
