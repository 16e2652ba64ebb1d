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

// The outcome of a command (rule 5). Unknown is neither success nor busy: to take it for a success would hold a lock
// that was not granted, to take it for a refusal would leave a key that no client releases.
enum class outcome : std::uint8_t {
    applied,  // the server executed it and replied
    refused,  // the server replied with an error; a script may have written before it (applied.hpp)
    unknown,  // no reply in time, or the connection was lost: the server may have executed it, or may do so later; or a
              // script failed in the middle (refusal::half_applied)
};

// An outcome with its reply. All views are valid during the call that passes it on.
struct answer {
    engine::outcome outcome = engine::outcome::unknown;
    core::instant sent = {};      // read just before the connection sent the command: validity counts from it (rule 1)
    reply value = {};             // applied: the reply of the server
    refusal why = refusal::none;  // refused: the reason
    std::string_view words = {};  // refused: the error text of the server
};

// A command under way. Its owner keeps it alive from submit() until on_answer(), or until the session was stopped: the
// session keeps only the address, so that no allocation is needed for a command (rule 24).
class command {
public:
    // The session calls it once, on the strand, and never from inside submit(). The object may be submitted again, or
    // destroyed, during the call.
    virtual void on_answer(answer const&) = 0;

protected:
    command() = default;
    // Not copyable, because the session keeps the address.
    command(command const&) = delete;
    command& operator=(command const&) = delete;
    ~command() = default;
};

// A command that is a member of its owner and passes the outcome to one of the owner's member functions. An owner can
// have several of them, which it could not do if it derived from `command`.
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
