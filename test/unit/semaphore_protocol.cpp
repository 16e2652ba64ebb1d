//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What a semaphore sends, and what the replies mean.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include <holdfast/error.hpp>

#include "engine/port/script_call.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "scripts_generated.hpp"
#include "unit/fake_session.hpp"

namespace holdfast::engine {
namespace semaphore_protocol_test {

using namespace std::chrono_literals;

lock_spec semaphore_of(unsigned permits, std::string_view weight, std::string const& name = "s")
{
    auto const channel = "redisson_sc:{p:" + name + "}";
    lock_spec::words const words{
        .prefix = "p:", .name = name, .channel = channel, .counter = {}, .label = {}, .weight = weight};
    lock_spec lock(semaphore_protocol(false), words, {"{p:" + name + "}:timeout", "waiting:" + name});
    lock.semaphore = std::make_shared<permit_rules>(permit_rules{.permits = permits});
    return lock;
}

struct nobody final : command {
    void on_answer(answer const&) override {}
};

reply integer(std::int64_t n)
{
    return {.type = reply::kind::integer, .integer = n};
}

reply text(std::string_view t)
{
    return {.type = reply::kind::text, .text = t};
}

acquire_result classify(std::vector<reply> const& items)
{
    return semaphore_protocol(false).classify(
        {.outcome = outcome::applied, .value = {.type = reply::kind::array, .items = items}});
}

TEST_CASE("a semaphore sends the number of permits, the weight and both keys", "[semaphore]")
{
    fake_session to;
    nobody c;
    auto const lock = semaphore_of(8, "4");
    semaphore_protocol(false).acquire(to, c, {.lock = lock, .token = "uuid:1", .lease = 3s}, script_form::sha1);
    CHECK(
        to.sent.at(0).words
        == texts{
            "EVALSHA",
            std::string(scripts::permits_acquire.sha1),
            "3",
            "p:s",
            "{p:s}:timeout",
            "waiting:s",
            "3000",
            "8",
            "86400000",
            "redisson_sc:{p:s}",
            "0",
            "uuid:1",
            "4"});
    semaphore_protocol(false).release(to, c, lock, "uuid:1", script_form::sha1);
    CHECK(
        to.sent.at(1).words
        == texts{
            "EVALSHA",
            std::string(scripts::permits_release.sha1),
            "3",
            "p:s",
            "{p:s}:timeout",
            "waiting:s",
            "redisson_sc:{p:s}",
            "uuid:1",
            "4"});
}

TEST_CASE("an attempt of a semaphore says whether the client listens to its own channel", "[semaphore]")
{
    fake_session to;
    nobody c;
    auto const lock = semaphore_of(8, "1");
    attempt const a{.lock = lock, .token = "uuid:1", .lease = 3s, .will_wait = true, .is_listening = true};
    semaphore_protocol(false).acquire(to, c, a, script_form::sha1);
    auto const& words = to.sent.at(0).words;
    CHECK(texts(words.end() - 3, words.end()) == texts{"1", "uuid:1", "1"});
}

TEST_CASE("an attempt of a semaphore serves followers, each with a token and a weight", "[semaphore]")
{
    fake_session to;
    nobody c;
    auto const lock = semaphore_of(8, "4");
    std::array<follower, 2> const followers{{{"uuid:2", "1"}, {"uuid:3", "2"}}};
    semaphore_protocol(false).acquire(
        to, c, {.lock = lock, .token = "uuid:1", .lease = 3s, .followers = followers}, script_form::sha1);
    auto const& words = to.sent.at(0).words;
    CHECK(texts(words.end() - 6, words.end()) == texts{"uuid:1", "4", "uuid:2", "1", "uuid:3", "2"});
}

TEST_CASE("a batch of releases has the keys and the channel of a semaphore once for grants in a row", "[semaphore]")
{
    auto const& protocol = semaphore_protocol(false);
    auto const lock = semaphore_of(8, "4");
    auto const other = semaphore_of(8, "1", "q");
    script_words batch;
    protocol.add_release(lock, "uuid:1", batch);
    protocol.add_release(lock, "uuid:2", batch);
    protocol.add_release(other, "uuid:3", batch);
    protocol.add_release(lock, "uuid:4", batch);
    CHECK(
        texts(batch.keys.begin(), batch.keys.end())
        == texts{
            "p:s",
            "{p:s}:timeout",
            "waiting:s",
            "p:q",
            "{p:q}:timeout",
            "waiting:q",
            "p:s",
            "{p:s}:timeout",
            "waiting:s"});
    CHECK(
        texts(batch.arguments.begin(), batch.arguments.end())
        == texts{
            "uuid:1",
            "4",
            "redisson_sc:{p:s}",
            "uuid:2",
            "4",
            "",
            "uuid:3",
            "1",
            "redisson_sc:{p:q}",
            "uuid:4",
            "4",
            "redisson_sc:{p:s}"});
}

TEST_CASE(
    "a fair semaphore sends the keys of its queue and the waiter timeout, also with another weight", "[semaphore]")
{
    fake_session to;
    nobody c;
    auto const& protocol = semaphore_protocol(true);
    lock_spec::words const words{
        .prefix = "p:", .name = "s", .channel = "channel", .counter = {}, .label = {}, .weight = "1"};
    lock_spec one(protocol, words, {"timeouts", "queue", "waiters"});
    one.semaphore = std::make_shared<permit_rules>(permit_rules{.permits = 8});
    one.waiter_timeout = 5s;
    auto const lock = one.with_weight("4");
    protocol.acquire(to, c, {.lock = lock, .token = "uuid:1", .lease = 3s, .will_wait = true}, script_form::sha1);
    auto words_of = [&](std::size_t n) { return texts(to.sent.at(n).words.begin() + 2, to.sent.at(n).words.end()); };
    CHECK(
        words_of(0)
        == texts{
            "4",
            "p:s",
            "timeouts",
            "queue",
            "waiters",
            "3000",
            "8",
            "86400000",
            "channel",
            "uuid:1",
            "4",
            "5000",
            "1"});
    protocol.release(to, c, lock, "uuid:1", script_form::sha1);
    CHECK(words_of(1) == texts{"4", "p:s", "timeouts", "queue", "waiters", "uuid:1", "4", "channel", "5000"});
    // The first waiter is notified; the scripts do not look who is alive.
    set_permits(to, c, lock, 2, script_form::sha1);
    CHECK(words_of(2) == texts{"4", "p:s", "timeouts", "queue", "waiters", "2", "86400000", "channel"});
    protocol.force_release(to, c, lock, script_form::sha1);
    CHECK(words_of(3) == texts{"4", "p:s", "timeouts", "queue", "waiters", "channel", ""});
    CHECK(protocol.has_queue());
    CHECK(protocol.batch_release() == nullptr);
}

TEST_CASE("the replies to an acquire of a semaphore", "[semaphore]")
{
    using kind = acquire_result::kind;
    CHECK(semaphore_protocol(false).classify({.outcome = outcome::applied}).what == kind::granted);
    auto const busy = classify({integer(0), integer(1500), integer(8)});
    CHECK(busy.what == kind::busy);
    CHECK(busy.remaining == 1500ms);
    CHECK(busy.permits == 8);
    auto const some = classify({integer(3), integer(1500), integer(8)});
    CHECK(some.what == kind::busy);
    CHECK(some.granted_before == 3);
    auto const missing = classify({integer(0), integer(-1), integer(-1)});
    CHECK(missing.what == kind::busy);
    CHECK(missing.remaining == core::duration::max());
    CHECK(missing.permits == -1);
    auto const too_many = classify({integer(0), integer(-2), integer(3)});
    CHECK(too_many.what == kind::failed);
    CHECK(too_many.error == errc::invalid_option);
    CHECK(classify({integer(0)}).error == errc::protocol);
    CHECK(semaphore_protocol(false).classify({.outcome = outcome::unknown}).what == kind::unknown);
}

TEST_CASE("the holders of a semaphore have their weights", "[semaphore]")
{
    constexpr std::string_view ours = "6f1c1d0e-0000-8000-8000-000000000001:1";
    constexpr std::string_view ours_2 = "6f1c1d0e-0000-8000-8000-000000000001:1/2";
    constexpr std::string_view other = "6f1c1d0e-0000-8000-8000-000000000001:12";
    std::vector<reply> const items{
        text("0"),
        integer(900),
        text(ours_2),
        integer(-1),
        text("0123/56789abcdef"),
        integer(900),
        text(ours),
        integer(700),
        text(other)};
    auto const all = semaphore_protocol(false).read_holders({.type = reply::kind::array, .items = items});
    REQUIRE(all.size() == 3);
    CHECK(all[0].weight == 1);
    CHECK(all[1].id == ours);
    CHECK(all[1].weight == 2);
    CHECK(all[1].remaining == 900ms);
    CHECK(all[2].weight == 1);
    CHECK(all[2].remaining == -1ms);
}

// Other data under its name may be longer than a connection accepts.
TEST_CASE("the question whether a semaphore is locked reads no more than a counter has", "[semaphore]")
{
    fake_session to;
    nobody c;
    for (auto const* const p :
         {&semaphore_protocol(false), &semaphore_protocol(true), &numbered_semaphore_protocol()}) {
        to.sent.clear();
        p->query_locked(to, c, semaphore_of(8, "1"));
        CHECK(to.sent.at(0).words == texts{"GETRANGE", "p:s", "0", "17"});
    }
}

TEST_CASE("a semaphore is locked if no permit is free", "[semaphore]")
{
    CHECK(semaphore_protocol(false).says_locked(text("0")));
    CHECK(semaphore_protocol(false).says_locked(text("-2")));
    CHECK_FALSE(semaphore_protocol(false).says_locked(text("1")));
    CHECK_FALSE(semaphore_protocol(false).says_locked(text("")));
    for (auto* other : {"x", "05", "-0", "+1", "1e3", "4294967296", "9007199254740993"})
        CHECK(semaphore_protocol(false).says_locked(text(other)));
}

TEST_CASE("a grant of a semaphore serves contenders of the same weight only", "[semaphore]")
{
    auto const one = semaphore_of(8, "1");
    auto const two = one.with_weight("2");
    CHECK(two.weight == "2");
    CHECK(two.semaphore->permits == 8);
    CHECK(two.name == "s");
    CHECK(two.has_key_of(one));
    CHECK_FALSE(two.shares_grants_with(one));
    CHECK(two.shares_grants_with(one.with_weight("2")));
}

TEST_CASE(
    "a numbered semaphore sends its numbers and its fencing counter, and reads a token and a number", "[semaphore]")
{
    fake_session to;
    nobody c;
    lock_spec::words const words{
        .prefix = "p:", .name = "s", .channel = "redisson_sc:{p:s}", .counter = "f", .label = {}, .weight = "1"};
    lock_spec lock(numbered_semaphore_protocol(), words, {"{p:s}:timeout", "waiting", "numbers"});
    lock.semaphore = std::make_shared<permit_rules>(permit_rules{.permits = 8});
    auto const& protocol = numbered_semaphore_protocol();
    protocol.acquire(to, c, {.lock = lock, .token = "uuid:1", .lease = 3s}, script_form::sha1);
    auto const& sent = to.sent.at(0).words;
    CHECK(texts(sent.begin() + 2, sent.begin() + 8) == texts{"5", "p:s", "{p:s}:timeout", "waiting", "numbers", "f"});
    protocol.force_release(to, c, lock, script_form::sha1);
    CHECK(to.sent.at(1).words.at(2) == "3");  // not the numbers

    std::vector<reply> const granted{integer(1), integer(77), integer(5)};
    auto const r = protocol.classify(
        {.outcome = outcome::applied, .value = {.type = reply::kind::array, .items = granted}});
    CHECK(r.what == acquire_result::kind::granted);
    CHECK(r.fence == 77);
    CHECK(r.number == 5);
    std::vector<reply> const busy{integer(0), integer(1500), integer(8)};
    auto const b = protocol.classify(
        {.outcome = outcome::applied, .value = {.type = reply::kind::array, .items = busy}});
    CHECK(b.what == acquire_result::kind::busy);
    CHECK(b.granted_before == 0);
}

}  // namespace semaphore_protocol_test
}  // namespace holdfast::engine
