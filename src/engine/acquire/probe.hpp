//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_PROBE_HPP
#define HOLDFAST_ENGINE_PROBE_HPP

#include <cstdint>
#include <string_view>
#include <utility>

#include "core/clock.hpp"
#include "engine/port/command.hpp"
#include "engine/port/session.hpp"

namespace holdfast::engine {

class attempt_call;

// Describes the key of a lock when the refusal of an attempt does not: PTTL returns when the present grant ends; TYPE,
// until the key is known to be a lock, whether it is one at all (rule 15); GETRANGE, if the key had no time to live at the
// last probe, whether it has the form of a lock that has lost it. They are submitted before the attempt, in
// one write with it. The replies come whatever the result of the attempt is, so the probe must live until then.
class probe {
public:
    explicit probe(attempt_call& of) noexcept : attempt_(of) {}
    probe(probe const&) = delete;
    probe& operator=(probe const&) = delete;

    // Returns how many replies will come. Preconditions: those of the last call have come, and the session is open.
    std::uint8_t send(session&, std::string_view key);
    // Sends nothing: the given time is used in place of a result.
    void guess(core::duration remaining) noexcept { remaining_ = remaining; }

    // After what time the present grant ends; max: unknown, or never.
    core::duration remaining() const noexcept { return remaining_; }
    // Whether the key is no lock. Resets the flag: the result belongs to one attempt.
    bool take_wrong_type() noexcept { return std::exchange(wrong_type_, false); }
    // Whether the key has no time to live, but may be a lock that has lost it.
    bool is_lasting() const noexcept { return life_ == life::unclear || life_ == life::lost; }

private:
    enum class life : std::uint8_t {
        ends,     // it has a time to live, or there is no key
        unclear,  // it has none, and its form is not known
        lost,     // it has none, and the form of a lock
    };

    void on_ttl(answer const&);
    void on_type(answer const&);
    void on_form(answer const&);

    attempt_call& attempt_;
    command_of<probe, &probe::on_ttl> ttl_command_{*this};
    command_of<probe, &probe::on_type> type_command_{*this};
    command_of<probe, &probe::on_form> form_command_{*this};
    core::duration remaining_ = core::duration::max();
    bool type_known_ = false;  // the key is a lock: its type is not requested again
    bool wrong_type_ = false;
    life life_ = life::ends;
};

}  // namespace holdfast::engine

#endif
