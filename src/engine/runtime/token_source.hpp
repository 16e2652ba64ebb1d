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
// bits, each fork has new ones, and the counter distinguishes the grants of one client.
class token_source {
public:
    explicit token_source(world&);

    // The UUID with which the tokens of this client begin. It changes after a fork.
    std::string_view id() const noexcept { return id_; }
    // `mark`: what the lock protocol puts in front of the owner's label, for example "write". Both may be empty.
    core::token next(std::string_view mark, std::string_view label);

private:
    void renew_after_fork();

    world& world_;
    std::uint64_t incarnation_;  // initialised before id_, so that a fork between the two is noticed
    std::string id_;
    std::uint64_t count_ = 0;  // never reset, also not after a fork: the new id is enough
};

}  // namespace holdfast::engine

#endif
