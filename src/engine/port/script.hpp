//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SCRIPT_HPP
#define HOLDFAST_ENGINE_SCRIPT_HPP

#include <string_view>

namespace holdfast::engine {

// A file of scripts/lua, which the build embeds. `sha1` is the SHA1 of exactly `text`: EVALSHA finds the script only by
// the hash of the text that an EVAL has sent before.
struct script {
    std::string_view name;
    std::string_view text;
    std::string_view sha1;
};

}  // namespace holdfast::engine

#endif
