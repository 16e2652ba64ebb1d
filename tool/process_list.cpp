//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/process_list.hpp"

#include <cstddef>
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
        if (scheme == word.npos)
            continue;
        auto const hide = [&](std::size_t from, std::size_t to) { std::memset(argv[i] + from, '*', to - from); };
        auto const begin = scheme + 3;
        // Found before anything is overwritten.
        auto const at = word.rfind('@');
        auto const question = word.find('?', begin);
        if (at != word.npos && at > begin)
            hide(begin, at);
        if (question != word.npos)
            hide(question + 1, word.size());
    }
}

}  // namespace holdfast::cli
