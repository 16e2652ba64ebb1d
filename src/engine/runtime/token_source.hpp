//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_TOKEN_SOURCE_HPP
#define HOLDFAST_ENGINE_TOKEN_SOURCE_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "core/token.hpp"

namespace holdfast::engine {

class world;

// Makes the tokens of a client (rule 6). No two grants of any process have the same token: each client has 128 random
// bits, and the counter distinguishes the grants of one client. The copy in a forked child makes tokens that its parent
// makes, too, but the child's client sends none of them.
class token_source {
public:
    explicit token_source(world&);

    // The UUID with which the tokens of this client begin.
    std::string_view id() const noexcept { return id_; }
    // `mark`: what the lock protocol puts in front of the owner's label, for example "write". Both may be empty.
    core::token next(std::string_view mark, std::string_view label);

private:
    std::string const id_;
    std::uint64_t count_ = 0;
};

}  // namespace holdfast::engine

#endif
