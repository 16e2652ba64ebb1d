//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "table.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

namespace demo {
namespace {

using describe = std::function<std::string(sale_result const&)>;

std::string number(long long n)
{
    return std::to_string(n);
}

std::string text(double value, int decimals, char const* unit)
{
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.*f%s", decimals, value, unit);
    return buffer;
}

int oversold(sale_result const& r)
{
    return std::max(0, r.sold_in_all() - goods);
}

std::string shares(sale_result const& r)
{
    std::string all;
    for (int const n : r.sold)
        all += (all.empty() ? "" : " ") + std::to_string(n);
    return all;
}

double wait_ms(sale_result const& r, double quantile)
{
    if (r.waits.empty())
        return 0;
    auto const at = static_cast<std::size_t>(quantile * static_cast<double>(r.waits.size() - 1));
    return static_cast<double>(r.waits[at].count()) / 1000;
}

std::string seconds(std::optional<std::chrono::duration<double>> const& d)
{
    return d ? text(d->count(), 2, " s") : "-";
}

void row(char const* label, results const& r, describe const& unguarded, describe const& others)
{
    std::printf(
        "%-34s %18s %18s %22s\n",
        label,
        unguarded(r.unguarded).c_str(),
        others(r.locked).c_str(),
        others(r.hurt).c_str());
}

bool check(bool good, std::string const& what)
{
    std::printf("  %s  %s\n", good ? "ok  " : "FAIL", what.c_str());
    return good;
}

}  // namespace

void print_table(results const& r)
{
    describe const none = [](sale_result const&) { return "-"; };
    describe const in_all = [](sale_result const& s) { return number(s.sold_in_all()); };
    describe const too_many = [](sale_result const& s) { return number(oversold(s)); };
    auto const rate = [](sale_result const& s) {
        return text(static_cast<double>(s.waits.size()) / s.took.count(), 0, "");
    };

    std::printf("\n%-34s %18s %18s %22s\n", "", "no lock", "holdfast::mutex", "+ kill, stop, fencing");
    row("sold, of 100", r, in_all, in_all);
    row("oversold", r, too_many, too_many);
    row("sold by process 1 2 3 4", r, shares, shares);
    row("lock cycles per second", r, none, rate);
    row("wait for the lock, p50", r, none, [](auto const& s) { return text(wait_ms(s, 0.5), 0, " ms"); });
    row("wait for the lock, p99", r, none, [](auto const& s) { return text(wait_ms(s, 0.99), 0, " ms"); });
    row("handed off inside a process", r, none, [](auto const& s) {
        return number(static_cast<long long>(s.handed_off));
    });
    row("leases lost, and noticed", r, none, [](auto const& s) {
        return number(static_cast<long long>(s.lost)) + ", " + number(s.noticed_after ? 1 : 0);
    });
    row("stale writes tried, refused", r, none, [](auto const& s) {
        return number(s.stale_refused + s.stale_accepted) + ", " + number(s.stale_refused);
    });
    row("lock free again after SIGKILL", r, none, [](auto const& s) { return seconds(s.freed_after); });
    row("loss noticed after SIGCONT", r, none, [](auto const& s) {
        return s.noticed_after ? text(s.noticed_after->count() * 1000, 1, " ms") : "-";
    });
}

void print_end(bool good)
{
    std::printf(
        "\n%s\n",
        good ? "All checks succeeded. The killed process ended with its 250 buyers; nothing else was lost: its lock\n"
               "expired, the stopped process detected the loss of its lease, and its late write was refused.\n"
               "docs/examples/mutex.cpp has the same lock in ten lines; demo/seller.cpp and demo/shop.cpp are what ran "
               "here."
             : "Something did NOT hold, see above. Please report it with this output.");
}

bool check(results const& r)
{
    std::chrono::duration<double> const soon = r.lease_when_hurt + std::chrono::seconds(1);
    auto const exact = [](sale_result const& s) {
        return s.is_complete && s.sold_in_all() == goods && s.stock_left == 0;
    };
    auto const all_served = [](sale_result const& s) { return s.waits.size() == processes * buyers_per_process; };

    std::printf("\n");
    bool good = true;
    good &= check(
        oversold(r.unguarded) > 0, "without a lock the same code oversells: the lock is what makes the difference");
    good &= check(
        exact(r.locked) && all_served(r.locked),
        "with holdfast::mutex exactly 100 were sold, and all 1000 buyers were served");
    good &= check(r.locked.lost == 0, "no lease was lost without a fault");
    good &= check(
        exact(r.hurt) && r.hurt.tokens_differ,
        "with a process killed and one stopped still exactly 100, each under a grant of its own");
    good &= check(
        r.hurt.freed_after && *r.hurt.freed_after < soon,
        "the lock of the killed process expired at the end of its lease time of 1 s (after "
            + seconds(r.hurt.freed_after) + ")");
    good &= check(
        r.hurt.noticed_after && r.hurt.lost == 1,
        "the stopped process detected the loss of its lease before its next step");
    good &= check(
        r.hurt.stale_refused == 1 && r.hurt.stale_accepted == 0,
        "its late write was refused, because its fencing token is too small");
    return good;
}

}  // namespace demo
