//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Each row of the table of script_cache.

#include "engine/port/script_cache.hpp"

#include <cstddef>
#include <deque>

#include <catch2/catch_test_macros.hpp>

namespace holdfast::engine {
namespace {

using state = script_cache::state;

constexpr script one{.name = "one", .text = "text of one", .sha1 = "sha1 of one"};
constexpr script two{.name = "two", .text = "text of two", .sha1 = "sha1 of two"};

TEST_CASE("a script that was never refused is sent by its SHA1, whatever is known of it", "[script_cache]")
{
    script_cache c;
    CHECK(c.state_of(one) == state::unknown);
    CHECK_FALSE(c.needs_text(one, script_form::sha1));
    c.on_text(one);
    CHECK(c.state_of(one) == state::submitted);
    CHECK_FALSE(c.needs_text(one, script_form::sha1));
}

TEST_CASE("after NOSCRIPT an unknown script is sent by its text", "[script_cache]")
{
    script_cache c;
    CHECK(c.needs_text(one, script_form::after_no_script(c.position())));
    c.on_text(two);
    CHECK(c.needs_text(one, script_form::after_no_script(c.position())));
    CHECK(c.needs_text(one, script_form::after_no_script(0)));
}

TEST_CASE("after NOSCRIPT the text is not sent again if it was submitted behind the refused call", "[script_cache]")
{
    script_cache c;
    c.on_text(two);
    auto const before = script_form::after_no_script(c.position());
    c.on_text(one);
    CHECK_FALSE(c.needs_text(one, before));
    c.on_text(two);
    CHECK_FALSE(c.needs_text(one, before));
}

TEST_CASE("after NOSCRIPT to a call behind the text the text is sent again", "[script_cache]")
{
    script_cache c;
    c.on_text(one);
    auto const behind = script_form::after_no_script(c.position());
    CHECK(c.needs_text(one, behind));
    c.on_text(two);
    CHECK(c.needs_text(one, behind));
    c.on_text(one);
    CHECK_FALSE(c.needs_text(one, behind));
}

TEST_CASE("a new epoch begins with unknown scripts", "[script_cache]")
{
    script_cache c;
    c.on_text(one);
    CHECK_FALSE(c.needs_text(one, script_form::if_sent()));
    c.on_open();
    CHECK(c.state_of(one) == state::unknown);
    CHECK(c.needs_text(one, script_form::if_sent()));
    c.on_text(one);
    CHECK_FALSE(c.needs_text(one, script_form::if_sent()));
}

// A server that executes the commands of one connection in order. Each call is sent again until the server has the
// script, as script_call does.
class model_server final {
public:
    struct outcome {
        std::size_t texts = 0;
        std::size_t by_sha1 = 0;
    };

    // `flush(n)`: whether the script is lost before the n-th command; `refuses(n)`: whether the n-th text is not executed.
    template <class Flush, class Refuses>
    outcome run(std::size_t calls, std::size_t most_commands, Flush flush, Refuses refuses)
    {
        outcome o;
        for (std::size_t i = 0; i != calls; ++i)
            submit(script_form::sha1);
        bool knows = false;
        for (std::size_t n = 0; !sent_.empty(); ++n) {
            REQUIRE(n < most_commands);
            auto const next = sent_.front();
            sent_.pop_front();
            knows = knows && !flush(n);
            if (next.is_text) {
                knows = !refuses(o.texts++);
                continue;
            }
            ++o.by_sha1;
            if (!knows)
                submit(script_form::after_no_script(next.asked));
        }
        return o;
    }

private:
    struct command {
        bool is_text;
        script_position asked;
    };

    void submit(script_form f)
    {
        bool const is_text = cache_.needs_text(one, f);
        if (is_text)
            cache_.on_text(one);
        sent_.push_back({is_text, cache_.position()});
    }

    script_cache cache_;
    std::deque<command> sent_;
};

constexpr auto never = [](std::size_t) { return false; };

TEST_CASE("many calls that get NOSCRIPT together send one text", "[script_cache]")
{
    auto const o = model_server().run(8'000, 20'000, never, never);
    CHECK(o.texts == 1);
    CHECK(o.by_sha1 == 8'000 + 7'999);
}

TEST_CASE("if the text is refused the next call behind it sends it, and only that one", "[script_cache]")
{
    auto const o = model_server().run(100, 10'000, never, [](std::size_t n) { return n < 3; });
    CHECK(o.texts == 4);
}

// A server that loses its scripts again and again executes one call for each text at least.
TEST_CASE("calls end although the scripts are flushed before each command", "[script_cache]")
{
    auto const o = model_server().run(
        100, 10'000, [](std::size_t) { return true; }, never);
    CHECK(o.texts == 100);
}

}  // namespace
}  // namespace holdfast::engine
