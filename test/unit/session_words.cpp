//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include <holdfast/error.hpp>

#include "engine/port/refusal.hpp"
#include "session/greeting.hpp"
#include "session/words.hpp"

namespace session_words_test {

using namespace holdfast;
using session::classify_refusal;
using session::printable;
using session::without_arguments;

TEST_CASE("words: the arguments in an error for an unknown command are cut off", "[session]")
{
    constexpr auto old = "ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `u`, `hunter2`, ";
    CHECK(without_arguments(old) == "ERR unknown command `HELLO`");
    CHECK(without_arguments("WRONGPASS no") == "WRONGPASS no");
}

TEST_CASE("words: printable text has its control bytes escaped and is limited to 240 bytes", "[session]")
{
    CHECK(printable("a\r\nb\x1b[2J\x7f") == "a\\x0d\\x0ab\\x1b[2J\\x7f");
    CHECK(printable("\xc3\xa4") == "\xc3\xa4");
    CHECK(printable(std::string(1000, 'x')) == std::string(240, 'x') + "...");
    CHECK(printable("") == "");
}

TEST_CASE("words: the error of a refused greeting decides the error code and whether it is permanent", "[session]")
{
    auto const wrong = classify_refusal("WRONGPASS invalid username-password pair or user is disabled.");
    CHECK(wrong.permanent);
    CHECK(wrong.code == errc::not_permitted);
    CHECK(wrong.words.starts_with("WRONGPASS"));

    CHECK(classify_refusal("NOAUTH HELLO must be called with the client already authenticated").permanent);
    CHECK(
        classify_refusal("NOPERM this user has no permissions to run the 'select' command").code
        == errc::not_permitted);
    CHECK(classify_refusal("DENIED Redis is running in protected mode").code == errc::not_permitted);

    CHECK_FALSE(classify_refusal("LOADING Redis is loading the dataset in memory").permanent);
    CHECK_FALSE(classify_refusal("BUSY Redis is busy running a script").permanent);
    CHECK(classify_refusal("ERR max number of clients reached").code == errc::unavailable);
    CHECK_FALSE(classify_refusal("ERR max number of clients reached").permanent);

    CHECK(classify_refusal("ERR unknown command 'HELLO'").code == errc::protocol);
    CHECK(classify_refusal("ERR DB index is out of range").permanent);
}

}  // namespace session_words_test
