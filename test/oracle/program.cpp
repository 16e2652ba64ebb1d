//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/program.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "oracle/locks.hpp"

namespace holdfast::test::oracle {
namespace {

constexpr std::array<std::string_view, verb_count> verbs{
    "acquire",      "try_acquire", "with_lock",     "is_locked",   "holders",       "force_release", "set_latch",
    "count_down",   "count",       "remove_latch",  "await_latch", "release",       "extend",        "lost",
    "downgrade",    "drop",        "move",          "cancel",      "launch",        "forget",        "stop",
    "shutdown",     "destroy",     "advance",       "pause",       "out_of_memory", "deny",          "lose_replies",
    "disconnect",   "restart",     "flush_scripts", "delete_key",  "foreign_key",   "freeze",        "move_slot",
    "replace_node", "fail_over",   "hang_sentinel"};

constexpr std::array<std::string_view, field_count> fields{
    "process", "server",   "lock", "owner", "slot", "to",    "op",     "keep",     "lease", "renew",  "max_hold",
    "wait",    "priority", "by",   "how",   "us",   "inner", "weight", "at_least", "count", "adapter"};

constexpr std::string_view endless_word = "max";

bool is_lock(field f)
{
    return f == field::lock || f == field::inner;
}

std::string value_text(field f, std::int64_t v)
{
    if (is_lock(f))
        return std::string(design_of(v).name);
    return v == endless ? std::string(endless_word) : std::to_string(v);
}

std::int64_t parse_value(field f, std::string const& text)
{
    if (is_lock(f))
        return lock_called(text);
    return text == endless_word ? endless : std::stoll(text);
}

template <class Names>
std::size_t index_of(Names const& names, std::string_view word)
{
    auto const found = std::ranges::find(names, word);
    if (found == names.end())
        throw std::invalid_argument("unknown word");
    return std::size_t(found - names.begin());
}

step parse_step(std::istream& line)
{
    std::string word;
    line >> word;
    step s(verb(index_of(verbs, word)));
    while (line >> word) {
        auto const equals = word.find('=');
        auto const f = field(index_of(fields, word.substr(0, equals)));
        s.set(f, parse_value(f, word.substr(equals + 1)));
    }
    return s;
}

}  // namespace

std::string_view name_of(verb v) noexcept
{
    return verbs[std::size_t(v)];
}

std::string_view name_of(field f) noexcept
{
    return fields[std::size_t(f)];
}

std::string to_text(step const& s)
{
    auto text = std::string(name_of(s.what));
    for (std::size_t i = 0; i < field_count; ++i)
        if (s.has(field(i)))
            text.append(" ").append(fields[i]).append("=").append(value_text(field(i), s.get(field(i))));
    return text;
}

std::string to_text(program const& p)
{
    auto text = "seed " + std::to_string(p.seed) + (p.is_cluster ? " cluster\n" : p.is_watched ? " sentinels\n" : "\n");
    for (auto const& s : p.steps)
        text.append(to_text(s)).append("\n");
    return text;
}

program parse(std::string_view text)
{
    program p;
    std::istringstream all{std::string(text)};
    for (std::string line; std::getline(all, line);) {
        std::istringstream words(line);
        if (line.empty() || line.front() == '#')
            continue;
        try {
            if (line.starts_with("seed "))
                p.seed = std::stoull(line.substr(5)), p.is_cluster = line.ends_with(" cluster"),
                p.is_watched = line.ends_with(" sentinels");
            else
                p.steps.push_back(parse_step(words));
        } catch (std::exception const& e) {
            throw std::invalid_argument("\"" + line + "\": " + e.what());
        }
    }
    return p;
}

}  // namespace holdfast::test::oracle
