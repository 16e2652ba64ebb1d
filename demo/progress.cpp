//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "progress.hpp"

#include <cstdio>
#include <unistd.h>

#include "sale.hpp"

namespace demo {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

progress::progress() : is_terminal_(::isatty(STDOUT_FILENO) == 1), start_(steady_clock::now()) {}

void progress::show(std::string const& title, int sold, int served)
{
    auto const now = steady_clock::now();
    if (now - shown_ < (is_terminal_ ? 50ms : 500ms))
        return;
    shown_ = now;
    print(title, sold, served, is_terminal_ ? "" : "\n");
}

void progress::print(std::string const& line)
{
    std::printf("%s%s\n", is_terminal_ ? "\r\x1b[K" : "", line.c_str());
    std::fflush(stdout);
}

void progress::finish(std::string const& title, int sold, int served)
{
    print(title, sold, served, "\n");
}

void progress::print(std::string const& title, int sold, int served, char const* end)
{
    std::chrono::duration<double> const time = steady_clock::now() - start_;
    std::printf(
        "%s%-38s sold %4d of %d   buyers served %4d of %d   %5.1f s%s",
        is_terminal_ ? "\r\x1b[K" : "",
        title.c_str(),
        sold,
        goods,
        served,
        processes * buyers_per_process,
        time.count(),
        end);
    std::fflush(stdout);
}

}  // namespace demo
