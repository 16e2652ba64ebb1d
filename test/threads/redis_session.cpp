//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <array>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch_test_macros.hpp>

#include "redis/session.hpp"
#include "support/redis_server.hpp"

using namespace holdfast;
using namespace std::chrono_literals;

namespace {

// Keeps fifty commands under way, drops the connection several times, and stops the session at the end.
class busy final : public engine::session_events, public engine::world_events {
public:
    busy(engine::client_io io, int epochs) : world_(*io.world), session_(*io.session), epochs_(epochs)
    {
        for (auto& l : lines_)
            l.owner = this;
    }

    void start()
    {
        world_.start(*this);
        session_.start(*this);
    }

    int opened = 0;
    int closed = 0;
    int answers = 0;

private:
    struct line final : engine::command {
        busy* owner = nullptr;
        void on_answer(engine::answer const&) override { owner->on_answer(*this); }
    };

    void on_open() override
    {
        ++opened;
        session_.subscribe("ch");
        for (auto& l : lines_)
            send(l);
        world_.wake_at(world_.now() + 10ms);
    }

    void on_alarm() override
    {
        if (opened < epochs_)
            return session_.drop("test");
        session_.stop();
        world_.stop();
    }

    void on_turn_end() override {}
    void on_closed(engine::closing const&) override { ++closed; }
    void on_message(std::string_view) override {}

    void on_answer(line& l)
    {
        ++answers;
        if (session_.is_open())
            send(l);
    }

    void send(line& l)
    {
        std::array<std::string_view, 2> const words{"INCR", "n"};
        session_.submit(l, words);
    }

    engine::world& world_;
    engine::session& session_;
    int epochs_;
    std::array<line, 50> lines_;
};

}  // namespace

TEST_CASE("session threads: any thread may run its strand", "[redis]")
{
    test::redis_server server;
    boost::asio::io_context context;
    engine::strand const strand(context.get_executor());
    config options;
    options.url = server.tcp_url();
    auto const io = redis::make_io(strand, options, {});
    busy user(io, 5);
    boost::asio::post(strand, [&] { user.start(); });

    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] { context.run(); });
    for (auto& t : threads)
        t.join();
    CHECK(user.opened == 5);
    CHECK(user.closed == 4);
    CHECK(user.answers >= 4 * 50);
}
