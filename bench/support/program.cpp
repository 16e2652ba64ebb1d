//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/program.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace holdfast::bench {

int run_program(std::string_view scenario, int argc, char const* const* argv, measurement const& measure)
try {
    auto const o = parse_options(argc, argv);
    redis_server server;
    report out(scenario, server);
    measure(o, server, out);
    out.write(o.json);
    return EXIT_SUCCESS;
} catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return EXIT_FAILURE;
}

}  // namespace holdfast::bench
