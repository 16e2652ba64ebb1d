//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/shard.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "unit/fake_session.hpp"

namespace holdfast::engine {
namespace shard_test {

closing const wrong_password{errc::not_permitted, "WRONGPASS", true};
closing const connection_lost{errc::unavailable, "End of file", false};

// Records the events with the shard at which they arrived.
struct recorder final : shard_events {
    struct event {
        shard const* at;
        std::string what;
        bool operator==(event const&) const = default;
    };

    void on_open(shard& s) override { events.push_back({&s, s.refusal() ? "open, refused" : "open"}); }
    void on_closed(shard& s, closing const& c) override
    {
        events.push_back({&s, "closed: " + std::string(c.words) + (s.refusal() ? ", refused" : "")});
    }
    void on_message(shard& s, std::string_view channel) override { events.push_back({&s, std::string(channel)}); }
    void on_subscribed(shard& s, std::string_view channel) override
    {
        events.push_back({&s, "+" + std::string(channel)});
    }
    void on_unsubscribed(shard& s, std::string_view channel) override
    {
        events.push_back({&s, "-" + std::string(channel)});
    }
    void on_turn_end(shard& s) override { events.push_back({&s, "turn end"}); }
    void on_slots(shard&, core::cluster_map const&) override {}
    void on_doubt(shard&, core::redirect const*) override {}

    std::vector<event> events;
};

struct started {
    started() { made.start(to); }

    std::shared_ptr<fake_session> session = std::make_shared<fake_session>();
    log lines;
    recorder to;
    shard made{session, lines};
};

TEST_CASE("shard: each event is passed on with the shard at which it arrived", "[shard]")
{
    recorder to;
    log const lines;
    auto const first = std::make_shared<fake_session>();
    auto const second = std::make_shared<fake_session>();
    shard a(first, lines), b(second, lines);
    a.start(to);
    b.start(to);
    second->events->on_open();
    first->events->on_open();
    second->events->on_message("c");
    second->events->on_subscribed("d");
    second->events->on_unsubscribed("e");
    first->events->on_turn_end();
    second->events->on_closed(connection_lost);
    CHECK(
        to.events
        == std::vector<recorder::event>{
            {&b, "open"},
            {&a, "open"},
            {&b, "c"},
            {&b, "+d"},
            {&b, "-e"},
            {&a, "turn end"},
            {&b, "closed: End of file"}});
}

TEST_CASE_METHOD(started, "shard: a permanent refusal lasts until an epoch opens", "[shard]")
{
    CHECK_FALSE(made.refusal());
    session->events->on_closed(wrong_password);
    CHECK(made.refusal().code == errc::not_permitted);
    session->events->on_closed(connection_lost);
    CHECK(made.refusal().code == errc::not_permitted);
    session->events->on_open();
    CHECK_FALSE(made.refusal());
}

TEST_CASE_METHOD(started, "shard: the refusal is up to date when the event is passed on", "[shard]")
{
    session->events->on_closed(wrong_password);
    session->events->on_open();
    CHECK(to.events == std::vector<recorder::event>{{&made, "closed: WRONGPASS, refused"}, {&made, "open"}});
}

TEST_CASE_METHOD(started, "shard: a lost connection is not a refusal", "[shard]")
{
    session->events->on_closed(connection_lost);
    CHECK_FALSE(made.refusal());
}

TEST_CASE_METHOD(started, "shard: it is open while its session is", "[shard]")
{
    CHECK(made.is_open());
    session->open = false;
    CHECK_FALSE(made.is_open());
    made.stop();
    CHECK(session->is_stopped);
}

}  // namespace shard_test
}  // namespace holdfast::engine
