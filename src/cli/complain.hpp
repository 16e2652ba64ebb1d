//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_COMPLAIN_HPP
#define HOLDFAST_CLI_COMPLAIN_HPP

#include <cstdio>
#include <string>
#include <string_view>

namespace holdfast::cli {

// A line on standard error. One write: the command may write there, too.
inline void complain(std::string_view what)
{
    auto const line = std::string("holdfast: ").append(what).append("\n");
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace holdfast::cli

#endif
