//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_COMMAND_HPP
#define HOLDFAST_ENGINE_COMMAND_HPP

#include <cstdint>
#include <string_view>

#include <holdfast/error.hpp>

#include "core/clock.hpp"
#include "engine/port/refusal.hpp"
#include "engine/port/reply.hpp"

namespace holdfast::engine {

// Every reply is classified. Unknown is neither success nor busy.
enum class outcome : std::uint8_t {
    applied,  // the server executed it and said so
    refused,  // the server answered with an error: not applied
    unknown,  // no reply in time, or the connection was lost: it may be applied, or yet become so
};

struct answer {
    engine::outcome outcome = engine::outcome::unknown;
    core::instant sent = {};      // read just before the command was handed to the connection
    reply value = {};             // applied: what the server said
    refusal why = refusal::none;  // refused: the reason
    std::string_view words = {};  // refused: the server's words
};

// A command under way. The session keeps only the address, from submit() until it calls on_answer(), which it does
// exactly once, on the strand and never from inside submit(). The record may be submitted again from there on.
class command {
public:
    virtual void on_answer(answer const&) = 0;

protected:
    command() = default;
    command(command const&) = delete;
    command& operator=(command const&) = delete;
    ~command() = default;
};

// A command that is a part of its owner and answers to one of its members.
template <class Owner, void (Owner::*Member)(answer const&)>
class command_of final : public command {
public:
    explicit command_of(Owner& owner) noexcept : owner_(owner) {}
    void on_answer(answer const& a) override { (owner_.*Member)(a); }

private:
    Owner& owner_;
};

}  // namespace holdfast::engine

#endif
