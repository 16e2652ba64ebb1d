//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tool/dashboard/board.hpp"
#include "tool/dashboard/document_cache.hpp"
#include "tool/dashboard/event_frames.hpp"
#include "tool/dashboard/json.hpp"
#include "tool/dashboard/metrics.hpp"

namespace dashboard_board_test {

using namespace holdfast::cli::dashboard;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using holdfast::holder;
using holdfast::detail::lock_record;
using holdfast::detail::recorded_kind;

moment at(std::chrono::milliseconds t)
{
    return {instant() + 1h + t, 1'000'000 + t.count()};
}

lock_record held(std::string name, std::string by, std::chrono::milliseconds remaining = 30s)
{
    lock_record r;
    r.name = std::move(name);
    r.kind = recorded_kind::mutex;
    holder h;
    h.id = std::move(by);
    h.remaining = remaining;
    r.holders = {h};
    r.holder_count = 1;
    return r;
}

lock_record free_lock(std::string name)
{
    lock_record r;
    r.name = std::move(name);
    return r;
}

// A board after its first pass: what it observes from now on is news.
board watching()
{
    board b(at(0ms));
    b.end_pass(1ms);
    return b;
}

std::size_t count_of(std::string const& text, std::string const& part)
{
    std::size_t n = 0;
    for (auto i = text.find(part); i != text.npos; i = text.find(part, i + 1))
        ++n;
    return n;
}

// All that a new stream sends until there is nothing new.
std::string all_frames(board const& b, event_cursor& sent, std::chrono::milliseconds now = 0ms)
{
    std::string all;
    for (auto some = next_frames(b, sent, "{}", at(now).at); !some.empty();
         some = next_frames(b, sent, "{}", at(now).at))
        all += some;
    return all;
}

TEST_CASE("board: what the first pass finds is no news", "[dashboard]")
{
    board b(at(0ms));
    b.observe(held("a", "x"), at(1ms));
    CHECK(b.history().last() == 0);
    CHECK(b.table().find("a")->since_ms == 0);
    b.observe(held("a", "y"), at(2ms));  // seen twice in the first pass: this is news
    CHECK(b.history().last() == 2);
    b.end_pass(1ms);
    b.observe(held("b", "x"), at(3ms));
    CHECK(b.history().last() == 3);
    CHECK(b.table().find("b")->since_ms == at(3ms).wall_ms);
}

TEST_CASE("lock table: a reader gets what differs from its revision", "[dashboard]")
{
    lock_table t;
    t.observe(held("a", "x"), at(0ms), false);
    t.observe(held("b", "x"), at(0ms), false);
    auto d = t.differences(0, 10);
    CHECK(d.changed.size() == 2);
    auto const seen = d.revision;

    t.observe(held("a", "x", 29s), at(1s), false);  // as expected after a second
    CHECK(t.differences(seen, 10).revision == seen);
    t.observe(held("a", "x", 30s), at(2s), false);  // renewed
    d = t.differences(seen, 10);
    CHECK(d.changed.empty());
    REQUIRE(d.renewed.size() == 1);
    CHECK(d.renewed[0]->record.name == "a");

    t.observe(held("a", "y"), at(3s), false);
    d = t.differences(seen, 10);  // for this reader the renewal is a part of the change
    CHECK(d.changed.size() == 1);
    CHECK(d.renewed.empty());
}

TEST_CASE("lock table: many differences are returned in several parts", "[dashboard]")
{
    lock_table t;
    for (int i = 0; i < 25; ++i)
        t.observe(held("lock:" + std::to_string(i), "x"), at(0ms), false);
    std::size_t found = 0;
    std::uint64_t seen = 0;
    for (auto d = t.differences(seen, 10); !d.changed.empty(); d = t.differences(seen, 10)) {
        CHECK(d.changed.size() <= 10);
        found += d.changed.size();
        seen = d.revision;
    }
    CHECK(found == 25);
}

TEST_CASE("lock table: a free lock is kept for a while, then removed", "[dashboard]")
{
    lock_table t;
    t.observe(held("a", "x"), at(0s), false);
    auto const id = t.find("a")->id;
    auto const seen = t.differences(0, 10).revision;
    t.observe(free_lock("a"), at(1s), false);
    CHECK(t.differences(seen, 10).changed.size() == 1);
    t.drop_free(at(0s).at);
    CHECK(t.size() == 1);
    t.drop_free(at(1s).at);
    CHECK(t.size() == 0);
    auto const d = t.differences(seen, 10);
    CHECK(d.changed.empty());
    CHECK(d.removed == std::vector<std::uint64_t>{id});
    t.observe(free_lock("b"), at(2s), false);  // one that was never held is not kept
    CHECK(t.size() == 0);
}

TEST_CASE("lock table: a reader that missed too many removals must begin again", "[dashboard]")
{
    lock_table t(100, 2);
    t.observe(held("a", "x"), at(0s), false);
    auto const seen = t.differences(0, 10).revision;
    for (int i = 0; i < 3; ++i) {
        t.observe(held("b", "x"), at(1s), false);
        t.observe(free_lock("b"), at(1s), false);
        t.drop_free(at(1s).at);
    }
    CHECK_FALSE(t.remembers(seen));
    CHECK(t.remembers(0));
    CHECK(t.differences(0, 10).removed.size() == 2);
}

TEST_CASE("lock table: the number of locks is limited", "[dashboard]")
{
    lock_table t(2);
    for (auto const* name : {"a", "b", "c"})
        t.observe(held(name, "x"), at(0s), false);
    CHECK(t.size() == 2);
    CHECK(t.is_full());
}

TEST_CASE("lock table: the stalest locks are those with the oldest observation", "[dashboard]")
{
    lock_table t;
    t.observe(held("a", "x"), at(1s), false);
    t.observe(held("b", "x"), at(2s), false);
    t.observe(held("c", "x"), at(3s), false);
    t.observe(held("a", "x"), at(4s), false);
    CHECK(t.stalest(10, at(3s).at) == std::vector<std::string>{"b", "c"});
    CHECK(t.stalest(1, at(9s).at) == std::vector<std::string>{"b"});
    CHECK(t.stalest(10, at(0s).at).empty());
}

TEST_CASE("board: the loss of the server and its return are one event each", "[dashboard]")
{
    auto b = watching();
    b.fail("refused", at(1s));
    b.fail("refused", at(2s));
    b.fail("timed out", at(3s));
    CHECK(b.history().last() == 1);
    CHECK(b.survey().words == "timed out");
    CHECK(b.survey().since_ms == at(1s).wall_ms);
    b.succeed(at(4s));
    b.succeed(at(5s));
    CHECK(b.history().last() == 2);
    CHECK(b.survey().is_connected);
    CHECK(b.survey().since_ms == at(4s).wall_ms);
}

TEST_CASE("board: a sample has the changes since the previous one", "[dashboard]")
{
    auto b = watching();
    b.observe(held("a", "x"), at(0s));
    b.observe(held("a", "y"), at(1s));
    b.tick(at(2s));
    b.tick(at(4s));
    std::vector<sample> all;
    b.curve().for_each_after(0, [&](sample const& s) { all.push_back(s); });
    REQUIRE(all.size() == 2);
    CHECK(all[0].held == 1);
    CHECK(all[0].acquired == 2);
    CHECK(all[0].ended == 1);
    CHECK(all[1].acquired == 0);
}

TEST_CASE("recent: a reader gets the entries that it has not, as far as they are there", "[dashboard]")
{
    recent<int> r(3);
    auto const after = [&](std::uint64_t n) {
        std::vector<int> all;
        r.for_each_after(n, [&](int i) { all.push_back(i); });
        return all;
    };
    CHECK(after(0).empty());
    for (int i = 1; i <= 5; ++i)
        r.add(i);
    CHECK(after(0) == std::vector{3, 4, 5});
    CHECK(after(4) == std::vector{5});
    CHECK(after(5).empty());
    CHECK(r.last() == 5);
}

TEST_CASE("event frames: a stream begins with the whole state and then sends differences", "[dashboard]")
{
    auto b = watching();
    for (int i = 0; i < 1000; ++i)
        b.observe(held("lock:" + std::to_string(i), "x"), at(0ms));
    event_cursor sent;
    auto const begin = all_frames(b, sent);
    CHECK(begin.starts_with("event: hello\ndata: {}\n\n"));
    CHECK(count_of(begin, "event: hello") == 1);
    CHECK(count_of(begin, "event: locks") == 3);
    CHECK(count_of(begin, "\"name\":\"lock:") == 1000 + 1000);  // also in the history
    CHECK(all_frames(b, sent).empty());

    b.observe(held("lock:7", "x", 31s), at(1s));
    CHECK(all_frames(b, sent, 1s) == "event: renewals\ndata: [[8,31000]]\n\n");
    b.fail("gone", at(2s));
    auto const next = all_frames(b, sent);
    CHECK_THAT(next, ContainsSubstring("\"connected\":false") && ContainsSubstring("\"words\":\"gone\""));
    CHECK_THAT(next, !ContainsSubstring("event: locks"));
}

TEST_CASE("event frames: a frame has one line of data, whatever a name contains", "[dashboard]")
{
    auto b = watching();
    b.observe(held("a\n\nevent: hello\ndata: {}\r\n", "x\"y\\\xff"), at(0ms));
    event_cursor sent;
    auto const frames = all_frames(b, sent);
    CHECK(count_of(frames, "\n\n") == count_of(frames, "event: ") - 2);  // two of them are in the name, twice sent
    CHECK(count_of(frames, "\nevent: hello") == 0);
    CHECK(count_of(frames, "\r") == 0);
}

TEST_CASE("json: any bytes yield a document that parses, with the text that the page shows", "[dashboard]")
{
    auto b = watching();
    std::string every;
    for (int c = 0; c < 256; ++c)
        every += static_cast<char>(c);
    b.observe(held(every + "</script><img src=x onerror=alert(1)>", every), at(0ms));
    auto const text = locks_document(b, at(1s));
    auto const document = json::parse(text);
    auto const& lock = document.at("locks").at(0);
    CHECK(lock.at("name").as_string().ends_with("</script><img src=x onerror=alert(1)>"));
    CHECK(lock.at("key").as_string().starts_with("000102"));
    CHECK(lock.at("holders").at(0).at("remaining_ms").as_int64() == 29'000);
    CHECK(lock.at("waiting").is_null());
}

TEST_CASE("json: a key without a time to live remains for ever, and no time is negative", "[dashboard]")
{
    auto b = watching();
    b.observe(held("a", "x", -1ms), at(0ms));
    b.observe(held("b", "x", 10ms), at(0ms));
    auto const document = json::parse(locks_document(b, at(1s)));
    CHECK(document.at("locks").at(0).at("holders").at(0).at("remaining_ms").is_null());
    CHECK(document.at("locks").at(1).at("holders").at(0).at("remaining_ms").as_int64() == 0);
}

TEST_CASE("document cache: requests that arrive together share one document", "[dashboard]")
{
    document_cache cache;
    int made = 0;
    auto const get = [&](std::chrono::milliseconds t) {
        return cache.get(at(t).at, [&] { return std::to_string(++made); });
    };
    auto const first = get(0ms);
    CHECK(*first == "1");
    CHECK(get(499ms) == first);
    CHECK(*get(500ms) == "2");
    CHECK(*first == "1");  // a slow client may still be reading it
}

TEST_CASE("metrics: sums and counters, without the name of a lock", "[dashboard]")
{
    auto b = watching();
    b.end_pass(12'034ms);
    b.observe(held("secret", "x"), at(0ms));
    b.observe(held("secret", "y"), at(1ms));
    auto const text = metrics_document(b, {.requests = 7, .refused = 2, .connections = 1, .streams = 1});
    CHECK_THAT(text, ContainsSubstring("\nholdfast_dashboard_locks{kind=\"mutex\"} 1\n"));
    CHECK_THAT(text, ContainsSubstring("\nholdfast_dashboard_changes_total{change=\"acquired\"} 2\n"));
    CHECK_THAT(text, ContainsSubstring("\nholdfast_dashboard_http_requests_total 7\n"));
    CHECK_THAT(text, ContainsSubstring("\nholdfast_dashboard_up 1\n"));
    CHECK_THAT(text, ContainsSubstring("\nholdfast_dashboard_pass_seconds 12.034\n"));
    CHECK_THAT(text, !ContainsSubstring("secret"));
}

TEST_CASE("metrics: until the first pass has ended they say that they are those of a part", "[dashboard]")
{
    board b(at(0ms));
    b.observe(held("first", "x"), at(0ms));
    CHECK_THAT(metrics_document(b, {}), ContainsSubstring("\nholdfast_dashboard_survey_complete 0\n"));
    CHECK_THAT(metrics_document(b, {}), !ContainsSubstring("pass_seconds"));
    b.end_pass(500ms);
    CHECK_THAT(metrics_document(b, {}), ContainsSubstring("\nholdfast_dashboard_survey_complete 1\n"));
    CHECK_THAT(metrics_document(b, {}), ContainsSubstring("\nholdfast_dashboard_pass_seconds 0.500\n"));
}

}  // namespace dashboard_board_test
