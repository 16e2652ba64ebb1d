//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/port/session.hpp"

#include <array>
#include <charconv>

#include <boost/container/small_vector.hpp>

namespace holdfast::engine {
namespace {

// It has no members, so all sessions of all threads may share one.
struct ignored final : command {
    void on_answer(answer const&) override {}
};

}  // namespace

void submit_asking(session& to)
{
    static ignored reply;
    constexpr std::array<std::string_view, 1> words{"ASKING"};
    to.submit(reply, words);
}

void submit_script(
    session& to,
    command& c,
    script const& s,
    script_form form,
    std::span<std::string_view const> keys,
    std::span<std::string_view const> arguments)
{
    bool const by_text = to.scripts().needs_text(s, form);
    if (by_text)
        to.scripts().on_text(s);
    auto const [text, sha1] = s.in(to.server().messages);
    // The session copies the words during submit(), so these digits may be local.
    std::array<char, 8> digits;
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), keys.size()).ptr;

    boost::container::small_vector<std::string_view, 12> words;
    words.push_back(by_text ? "EVAL" : "EVALSHA");
    words.push_back(by_text ? text : sha1);
    words.emplace_back(digits.data(), end);
    words.insert(words.end(), keys.begin(), keys.end());
    words.insert(words.end(), arguments.begin(), arguments.end());
    to.submit(c, {words.data(), words.size()});
}

}  // namespace holdfast::engine
