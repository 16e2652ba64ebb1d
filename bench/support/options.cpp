//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/options.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace holdfast::bench {

options parse_options(int argc, char const* const* argv)
{
    options o;
    for (int i = 1; i < argc; ++i) {
        std::string_view const word = argv[i];
        if (word == "--quick")
            o.quick = true;
        else if (word == "--json" && i + 1 < argc)
            o.json = argv[++i];
        else {
            bool const is_help = word == "--help";
            std::fprintf(is_help ? stdout : stderr, "usage: %s [--quick] [--json FILE]\n", argv[0]);
            std::exit(is_help ? EXIT_SUCCESS : EXIT_FAILURE);
        }
    }
    return o;
}

}  // namespace holdfast::bench
