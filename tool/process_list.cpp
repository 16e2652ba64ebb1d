//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/process_list.hpp"

#include <cstring>
#include <string_view>

namespace holdfast::cli {

void hide_passwords(int argc, char** argv) noexcept
{
    using namespace std::string_view_literals;
    // The words behind -- are those of the command.
    for (int i = 1; i < argc && argv[i] != "--"sv; ++i) {
        std::string_view const word = argv[i];
        auto const scheme = word.find("://");
        auto const at = word.rfind('@');
        if (scheme != word.npos && at != word.npos && at > scheme + 3)
            std::memset(argv[i] + scheme + 3, '*', at - scheme - 3);
    }
}

}  // namespace holdfast::cli
