//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SCRIPT_HPP
#define HOLDFAST_ENGINE_SCRIPT_HPP

#include <string_view>

namespace holdfast::engine {

// One file of scripts/lua, embedded at build time. `sha1` is that of `text`, byte for byte.
struct script {
    std::string_view name;
    std::string_view text;
    std::string_view sha1;
};

}  // namespace holdfast::engine

#endif
