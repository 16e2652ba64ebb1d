//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/hunt.hpp"

#include <cstring>
#include <unistd.h>

#include "oracle/child_run.hpp"
#include "oracle/generator.hpp"
#include "oracle/not_yet.hpp"
#include "oracle/runner.hpp"
#include "oracle/shrink.hpp"

namespace holdfast::test::oracle {
namespace {

// A program that takes longer than this in real time counts as one that never ends.
constexpr unsigned time_limit_seconds = 60;

// What a child reports to its parent, even if it crashes.
struct shared_note {
    std::uint64_t seed = 0;  // of the program that runs
    std::uint64_t programs = 0, operations = 0, grants = 0;
    bool is_broken = false;
    char check[64] = {};
    char text[2'000] = {};
};

template <std::size_t N>
void copy(char (&to)[N], std::string const& from)
{
    std::strncpy(to, from.c_str(), N - 1);
}

void run_one(program const& p, shared_note& to)
{
    ::alarm(time_limit_seconds);
    auto const r = run(p);
    ++to.programs;
    to.operations += r.operations;
    to.grants += r.grants;
    to.is_broken = r.broken.has_value();
    if (!r.broken)
        return;
    copy(to.check, r.broken->check);
    copy(to.text, r.broken->text);
}

// Runs f in a child process, whose crash is a finding, too.
template <class Function>
std::optional<finding> in_child(shared_note& note, Function f)
{
    auto const death = wait_for_child(run_in_child(f, standard_error::dropped), time_limit_seconds);
    if (death)
        return death;
    return note.is_broken ? std::optional(finding{note.check, note.text}) : std::nullopt;
}

}  // namespace

std::optional<finding> run_in_fork(program const& p)
{
    shared_value<shared_note> note;
    return in_child(*note, [&] { run_one(p, *note); });
}

hunt_result hunt(std::uint64_t first, std::uint64_t operations)
{
    shared_value<shared_note> shared;
    auto& note = *shared;
    auto const broken = in_child(note, [&] {
        for (note.seed = first; note.operations < operations && !note.is_broken; note.seed += note.is_broken ? 0 : 1)
            run_one(generate(note.seed), note);
    });
    hunt_result r{note.programs, note.operations, note.grants, broken, {}};
    if (!broken)
        return r;
    r.shrunken = shrink(generate(note.seed), [&](program const& p) {
        if (without_exclusions(p).steps != p.steps)
            return false;
        auto const again = run_in_fork(p);
        return again && again->check == broken->check;
    });
    if (auto const again = run_in_fork(r.shrunken))
        r.broken = again;
    return r;
}

}  // namespace holdfast::test::oracle
