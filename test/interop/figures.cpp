//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "interop/figures.hpp"

#include <algorithm>
#include <cstdio>

#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

namespace holdfast::test {
namespace {

struct row {
    std::string what;
    std::string direction;
    std::vector<std::chrono::nanoseconds> taken;
};

std::vector<row>& rows()
{
    static std::vector<row> all;
    return all;
}

double ms(std::chrono::nanoseconds d)
{
    return std::chrono::duration<double, std::milli>(d).count();
}

void print(row r)
{
    std::ranges::sort(r.taken);
    std::printf(
        "figure  %-52s %-34s %9.1f %9.1f %9.1f %4zu\n",
        r.what.c_str(),
        r.direction.c_str(),
        ms(r.taken.front()),
        ms(r.taken[r.taken.size() / 2]),
        ms(r.taken.back()),
        r.taken.size());
}

// Every line begins with the same word, so that scripts/run_tests finds them.
class table_at_the_end : public Catch::EventListenerBase {
public:
    using EventListenerBase::EventListenerBase;

    void testRunEnded(Catch::TestRunStats const&) override
    {
        if (rows().empty())
            return;
        std::printf(
            "figure  %-52s %-34s %9s %9s %9s %4s\n", "what, in ms", "direction", "least", "median", "most", "n");
        std::ranges::for_each(rows(), print);
    }
};

CATCH_REGISTER_LISTENER(table_at_the_end)

}  // namespace

void note_figures(std::string const& what, std::string const& direction, std::vector<std::chrono::nanoseconds> taken)
{
    if (!taken.empty())
        rows().push_back({what, direction, std::move(taken)});
}

}  // namespace holdfast::test
