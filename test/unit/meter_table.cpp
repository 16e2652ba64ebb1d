//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/meter_table.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace holdfast::detail {
namespace meter_table_test {

// "orders:7" has the label "orders"; a name without a colon has none.
std::string before_colon(std::string_view name)
{
    auto const colon = name.find(':');
    return std::string(colon == name.npos ? std::string_view() : name.substr(0, colon));
}

// The parts as text: "mutex orders 2" are the two acquired mutexes with that label.
std::vector<std::string> parts_of(meter_table const& t)
{
    std::vector<std::string> all;
    for (auto const& p : t.read().parts)
        all.push_back(std::string(to_string(p.kind)) + ' ' + p.label + ' ' + std::to_string(p.acquired));
    return all;
}

using lines = std::vector<std::string>;

TEST_CASE("each kind of lock has meters of its own", "[meter_table]")
{
    meter_table t({}, 0);
    unsigned n = 0;
    for (auto k = lock_kind::mutex; k < lock_kind::multi; k = static_cast<lock_kind>(static_cast<int>(k) + 1))
        t.of_single(k, "a").acquired.add(++n);
    for (auto const k : {lock_kind::multi, lock_kind::red})
        t.of_composite(k, "a").acquired.add(++n);
    auto const read = t.read();
    REQUIRE(read.parts.size() == n);
    for (unsigned i = 0; i < n; ++i) {
        CHECK(read.parts[i].kind == static_cast<lock_kind>(i));
        CHECK(read.parts[i].acquired == i + 1);
    }
}

TEST_CASE("a part of the statistics exists once its kind of lock is used", "[meter_table]")
{
    meter_table t({}, 32);
    CHECK(parts_of(t).empty());
    auto& mutexes = t.of_single(lock_kind::mutex, "a");
    CHECK(&t.of_single(lock_kind::mutex, "b") == &mutexes);
    mutexes.acquired.add();
    t.of_single(lock_kind::semaphore, "a").acquired.add(2);
    t.of_composite(lock_kind::red, "a").acquired.add(4);
    t.of_composite(lock_kind::multi, "a").acquired.add(8);
    CHECK(parts_of(t) == lines{"mutex  1", "semaphore  2", "multi  8", "red  4"});
    CHECK(t.read().acquired == 15);
}

TEST_CASE("a label is found from the name of the lock, and kinds with it", "[meter_table]")
{
    meter_table t(before_colon, 32);
    auto& orders = t.of_single(lock_kind::mutex, "orders:1");
    CHECK(&t.of_single(lock_kind::mutex, "orders:2") == &orders);
    CHECK(&t.of_single(lock_kind::fair, "orders:1") != &orders);
    t.of_single(lock_kind::mutex, "accounts:1");
    t.of_single(lock_kind::mutex, "plain");
    t.of_composite(lock_kind::multi, "orders:1+orders:2");
    CHECK(parts_of(t) == lines{"mutex  0", "mutex accounts 0", "mutex orders 0", "fair orders 0", "multi orders 0"});
}

TEST_CASE("labels beyond the limit count as other; known ones and the empty one do not", "[meter_table]")
{
    meter_table t(before_colon, 2);
    for (auto const* name : {"a:1", "b:1", "c:1", "d:1", "a:2", "none", "b:2"})
        t.of_single(lock_kind::mutex, name).acquired.add();
    CHECK(parts_of(t) == lines{"mutex  1", "mutex a 2", "mutex b 2", "mutex other 2"});
    meter_table none(before_colon, 0);
    none.of_single(lock_kind::mutex, "a:1");
    CHECK(parts_of(none) == lines{"mutex other 0"});
}

TEST_CASE("a label that a monitoring system may refuse counts as other", "[meter_table]")
{
    auto const part_of = [](meter_table::label_function f) {
        meter_table t(std::move(f), 32);
        t.of_single(lock_kind::mutex, "m");
        return parts_of(t).front();
    };
    CHECK(part_of([](auto) { return std::string(64, 'x'); }) == "mutex " + std::string(64, 'x') + " 0");
    CHECK(part_of([](auto) { return std::string(65, 'x'); }) == "mutex other 0");
    CHECK(part_of([](auto) { return std::string("a\nb"); }) == "mutex other 0");
    CHECK(part_of([](auto) { return std::string("\xff"); }) == "mutex other 0");
    CHECK(part_of([](auto) -> std::string { throw std::runtime_error("no label"); }) == "mutex other 0");
}

TEST_CASE("each number of a table is the sum of those of its parts", "[meter_table]")
{
    using std::chrono::milliseconds;
    meter_table t({}, 32);
    for (auto const k : {lock_kind::mutex, lock_kind::fair}) {
        auto& m = t.of_single(k, "m");
        m.renewal_lag.add(milliseconds(3));
        m.round_trip.add(milliseconds(5));
        m.lost_by(loss::max_hold).add();
        m.at_risk.add();
        m.refused.add();
    }
    t.of_composite(lock_kind::red, "m").hold.add(milliseconds(7));
    auto const s = t.read();
    CHECK(s.renewal_lag.count == 2);
    CHECK(s.renewal_lag.sum == milliseconds(6));
    CHECK(s.round_trip.buckets[13] == 2);  // 4.096 ms to 8.192 ms
    CHECK(s.hold.sum == milliseconds(7));
    CHECK(s.lost == 2);
    CHECK(s.lost_by.max_hold == 2);
    CHECK(s.at_risk == 2);
    CHECK(s.refused == 2);
    CHECK(s.wait.buckets.size() == histogram::bucket_count);
}

}  // namespace meter_table_test
}  // namespace holdfast::detail
