//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The table of test/support/damaged_keys.hpp on real servers. All scenes of a row are played side by side.

#include "support/damaged_keys.hpp"

#include <array>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// Servers and clients of one row.
class live_world : public key_world {
public:
    explicit live_world(live& l) : live_(l) {}

    client& client_of(unsigned process) override { return client_at(process, 0); }
    std::vector<client const*> clients_of_three_servers(unsigned process) override
    {
        return {&client_at(process, 0), &client_at(process, 1), &client_at(process, 2)};
    }
    simulated::value execute(std::vector<std::string> const& words) override { return servers_[0].command(words); }
    std::vector<std::string> keys(std::string const& lock) override
    {
        std::vector<std::string> all;
        for (auto& key : execute({"KEYS", "*" + lock + "*"}).items)
            all.push_back(std::move(key.text));
        return all;
    }
    awaitable<void> sleep(std::chrono::milliseconds d) override { return sleep_for(d); }
    void spawn(awaitable<void> a) override { live_.spawn(std::move(a)); }
    std::chrono::milliseconds watch_time() const override { return 1500ms; }
    bool is_punctual() const override { return false; }

private:
    client& client_at(unsigned process, unsigned server)
    {
        while (servers_.size() <= server)
            servers_.emplace_back();
        auto& c = clients_[process][server];
        if (!c)
            c = &live_.client(quick(servers_[server].url()));
        return *c;
    }
    static config quick(std::string url)
    {
        auto c = live::quick(std::move(url));
        c.lease = 3s;
        c.command_timeout = 30s;  // all scenes of a row send their commands at once
        return c;
    }

    live& live_;
    std::deque<redis_server> servers_;
    std::array<std::array<client*, 3>, processes> clients_{};
};

struct played {
    std::string row;
    key_scene what;
    key_verdict verdict;
};

// Names of which none is in another one.
std::string lock_of(std::size_t scene)
{
    return "lock" + std::to_string(1000 + scene);
}

// One key at a time. The simulator also plays locks that are half gone.
std::vector<key_scene> live_scenes()
{
    auto all = key_scenes();
    std::erase_if(all, [](key_scene const& s) { return s.which.size() > 1; });
    return all;
}

class performances {
public:
    template <class Play>
    void begin(std::string const& row, Play play_in)
    {
        auto& world = worlds_.emplace_back(live_);
        for (auto const& what : live_scenes()) {
            auto& p = played_.emplace_back(played{row, what, {}});
            live_.spawn(run(p, world, play_in, lock_of(played_.size())));
        }
    }
    std::deque<played> const& end()
    {
        if (!live_.until([&] { return ended_ == played_.size(); }, 3 * time_limit))
            throw std::runtime_error("some scenes are stuck");
        return played_;
    }

private:
    template <class Play>
    awaitable<void> run(played& p, live_world& world, Play play_in, std::string lock)
    {
        for (unsigned process = 0; process != key_world::processes; ++process)
            co_await world.client_of(process).ready(asio::use_awaitable);
        p.verdict = co_await play_in(world, p.what, std::move(lock));
        ++ended_;
    }

    std::deque<played> played_;
    std::size_t ended_ = 0;
    std::deque<live_world> worlds_;  // outlives the clients
    live live_;
};

// A red_lock is granted without the server whose keys are damaged, if that is slow.
std::vector<std::string> names_of_damaged(std::vector<key_row> const& rows)
{
    std::vector<std::string> all{"latch"};
    for (auto const& row : rows)
        if (row.deciding_if_late.empty())
            all.emplace_back(row.name);
    return all;
}

TEST_CASE("each lock keeps its promises on a real server when keys were damaged", "[keys]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    auto const rows = key_rows();
    performances all;
    for (auto const& row : rows)
        all.begin(row.name, [&row](key_world& w, key_scene const& what, std::string lock) {
            return play(w, row, what, std::move(lock));
        });
    all.begin("latch", [](key_world& w, key_scene const& what, std::string lock) {
        return play_latch(w, what, std::move(lock));
    });
    std::set<std::pair<std::string, lock_state>> damaged;
    for (auto const& p : all.end()) {
        CAPTURE(p.row, description_of(p.what), p.verdict.damaged);
        CHECK(p.verdict.broken == std::vector<std::string>());
        if (p.verdict.is_played)
            damaged.emplace(p.row, p.what.state);
    }
    // Only a free lock may have no key.
    for (auto const& row : names_of_damaged(rows))
        for (auto const state : {lock_state::held, lock_state::waited_for, lock_state::queued}) {
            CAPTURE(row, static_cast<int>(state));
            CHECK(damaged.contains({row, state}));
        }
}

}  // namespace
}  // namespace holdfast::test
