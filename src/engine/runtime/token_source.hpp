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

class session;

// Makes the tokens of a client. No two grants of any process ever have the same token.
class token_source {
public:
    explicit token_source(session&);

    // What the tokens of this client begin with; another one after a fork.
    std::string_view id() const noexcept { return id_; }
    // `mark`: what the lock's protocol puts in front of the owner's label. Both may be empty.
    core::token next(std::string_view mark, std::string_view label);

private:
    void renew_after_fork();

    session& session_;
    std::uint64_t incarnation_;  // read before the identity: a fork between the two is noticed
    std::string id_;
    std::uint64_t count_ = 0;
};

}  // namespace holdfast::engine

#endif
