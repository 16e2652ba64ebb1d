//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <chrono>
#include <deque>
#include <random>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "support/proxy.hpp"
#include "support/redis_server.hpp"
#include "support/session_probe.hpp"

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using engine::outcome;

namespace {

// Sends numbered commands while the connection and the server fail in every way.
class chaos {
public:
    explicit chaos(unsigned seed) : chance_(seed), probe_(impatient(between_.url()))
    {
        probe_.when_open = [this] { send_some(); };
        probe_.start();
    }

    void step()
    {
        send_some();
        probe_.run_for(std::chrono::milliseconds(below(4)));
        disturb();
    }

    void calm()
    {
        between_.delay(proxy::direction::to_client, 0ms);
        between_.slice(0);
    }

    bool all_are_answered()
    {
        return probe_.run_until([this] {
            return std::all_of(sent_.begin(), sent_.end(), [](auto const& s) { return s.command->answered; });
        });
    }

    struct numbered {
        sent_command const* command;
        std::string text;
    };

    std::deque<numbered> const& sent() const { return sent_; }
    int epochs() const { return probe_.opened; }

private:
    static config impatient(std::string url)
    {
        auto c = session_probe::with_url(std::move(url));
        c.command_timeout = 50ms;
        c.lease = 600ms;
        return c;
    }

    unsigned below(unsigned sides) { return static_cast<unsigned>(chance_() % sides); }

    void send_some()
    {
        for (auto n = below(30); n > 0 && probe_.session().is_open(); --n) {
            if (below(20) == 0)
                probe_.session().subscribe("ch" + std::to_string(below(5)));
            if (below(20) == 0)
                probe_.session().unsubscribe("ch" + std::to_string(below(5)));
            auto const text = std::to_string(sent_.size());
            sent_.push_back({&probe_.send({"ECHO", text}), text});
            if (below(7) == 0)
                probe_.send({"PUBLISH", "ch1", "x"});
        }
    }

    void disturb()
    {
        switch (below(60)) {
            case 0: return between_.cut(below(2) == 0);
            case 1: return between_.delay(proxy::direction::to_client, std::chrono::milliseconds(below(80)));
            case 2: return calm();
            case 3: return between_.slice(1 + below(40));
            case 4: return probe_.session().drop("chaos");
            case 5: return freeze();
            case 6: return lose();
            default: return;
        }
    }

    void freeze()
    {
        server_.freeze();
        probe_.run_for(std::chrono::milliseconds(below(120)));
        server_.thaw();
    }

    void lose()
    {
        between_.black_hole();
        probe_.run_for(std::chrono::milliseconds(below(100)));
        between_.cut(true);
        between_.black_hole(false);
    }

    std::mt19937 chance_;
    redis_server server_;
    proxy between_{server_.socket_path()};
    session_probe probe_;
    std::deque<numbered> sent_;
};

}  // namespace

TEST_CASE("session chaos: every command is answered once, by its own reply or as unknown", "[redis]")
{
    auto const seed = GENERATE(range(1, 4));
    CAPTURE(seed);
    chaos c(static_cast<unsigned>(seed));
    auto const end = std::chrono::steady_clock::now() + 3s;
    while (std::chrono::steady_clock::now() < end)
        c.step();
    c.calm();
    CHECK(c.all_are_answered());
    for (auto const& s : c.sent()) {
        CAPTURE(s.text);
        CHECK(s.command->times == 1);
        CHECK(s.command->outcome != outcome::refused);
        if (s.command->outcome == outcome::applied)
            CHECK(s.command->text == s.text);
    }
}
