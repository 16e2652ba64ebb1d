//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_COMPLAIN_HPP
#define HOLDFAST_CLI_COMPLAIN_HPP

#include <cstdio>
#include <string>
#include <string_view>

#include "core/printable.hpp"

namespace holdfast::cli {

// Everything that the tool says passes here: whatever stands in a name or in a server's words, a line stays one.
inline void write_line(std::FILE* to, std::string_view what)
{
    auto const line = core::printable(what).append("\n");
    std::fwrite(line.data(), 1, line.size(), to);  // one write: the command may write there, too
}

// On standard output.
inline void say(std::string_view what)
{
    write_line(stdout, what);
}

// On standard error.
inline void complain(std::string_view what)
{
    write_line(stderr, std::string("holdfast: ").append(what));
}

}  // namespace holdfast::cli

#endif
