//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_REPORT_ERROR_HPP
#define HOLDFAST_CLI_REPORT_ERROR_HPP

#include <cstdio>
#include <string>
#include <string_view>

#include "core/printable.hpp"

namespace holdfast::cli {

// Writes one line. All output of the tool passes this function, which escapes control bytes: the name of a lock or an
// error message of the server must not begin a line of its own, or reach the terminal as an escape sequence.
inline void write_line(std::FILE* to, std::string_view what)
{
    auto const line = core::printable(what).append("\n");
    std::fwrite(line.data(), 1, line.size(), to);  // in one call: the command may write there at the same time
}

// Writes a result to standard output.
inline void say(std::string_view what)
{
    write_line(stdout, what);
}

// Writes what is buffered. Returns false if that, or an earlier write, has failed: then nobody reads the results.
inline bool flush_output()
{
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

// A server may send words of any length, with what it was sent in them.
inline std::string shortened(std::string_view words)
{
    constexpr std::size_t longest = 1000;
    return words.size() <= longest ? std::string(words) : std::string(words.substr(0, longest)) + " ...";
}

// Writes an error message to standard error.
inline void report_error(std::string_view what)
{
    write_line(stderr, "holdfast: " + shortened(what));
}

}  // namespace holdfast::cli

#endif
