//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SCRIPT_HPP
#define HOLDFAST_ENGINE_SCRIPT_HPP

#include <string_view>

#include "engine/port/message_form.hpp"

namespace holdfast::engine {

// A text with the SHA1 of exactly that text: EVALSHA finds a script only by the hash of the text that an EVAL has sent
// before.
struct script_text {
    std::string_view text;
    std::string_view sha1;
};

// A file of scripts/lua, which the build embeds, once with `publish` and once with `spublish`. Both texts are the same
// if the script publishes nothing.
struct script {
    std::string_view name;
    std::string_view text;
    std::string_view sha1;
    script_text sharded = {};

    script_text in(message_form f) const noexcept
    {
        return f == message_form::sharded ? sharded : script_text{text, sha1};
    }
};

}  // namespace holdfast::engine

#endif
