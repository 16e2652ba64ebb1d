//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_REDIS_PROGRAM_HPP
#define HOLDFAST_TEST_SUPPORT_REDIS_PROGRAM_HPP

#include <cstdlib>
#include <string>

namespace holdfast::test {

// The server that the tests start: HOLDFAST_REDIS_SERVER, the path of a program that takes the arguments of
// redis-server, or the redis-server of the PATH. scripts/servers brings such programs.
inline std::string redis_program()
{
    auto const* const named = std::getenv("HOLDFAST_REDIS_SERVER");
    return named && *named ? named : "redis-server";
}

}  // namespace holdfast::test

#endif
