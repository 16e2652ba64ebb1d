//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_AUTHENTICATOR_HPP
#define HOLDFAST_SESSION_AUTHENTICATOR_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "core/backoff.hpp"
#include "core/clock.hpp"

namespace holdfast::session {

// When a session with a provider asks for credentials, and what it does with them. This class only decides, so that
// each pair of a state and an event can be tested without a provider and a server; `authentication` acts.
//
// | state          | event      | next           | action                                                              |
// |----------------|------------|----------------|---------------------------------------------------------------------|
// | idle           | connect    | asking         | ask                                                                 |
// | asking         | yielded    | greeting       | greet: connect, and send HELLO with the credentials                 |
// | asking         | failed     | idle           | give_up: this attempt to connect has failed                         |
// | asking         | closed     | idle           | abandon the question                                                |
// | greeting       | accepted   | authenticated  | schedule the next question, before the credentials end              |
// | greeting       | refused    | idle           | none: the session closes the connection, and connects again         |
// | greeting       | closed     | idle           | none                                                                |
// | authenticated  | due        | renewing       | ask                                                                 |
// | authenticated  | refused    | authenticated  | none: NOAUTH for a command; the session closes the connection       |
// | authenticated  | closed     | idle           | none                                                                |
// | renewing       | yielded    | authenticating | authenticate: send AUTH on the living connection                    |
// | renewing       | failed     | authenticated  | retry: ask again after a pause                                      |
// | renewing       | refused    | renewing       | none: as in `authenticated`                                         |
// | renewing       | closed     | idle           | abandon the question                                                |
// | authenticating | accepted   | authenticated  | schedule                                                            |
// | authenticating | refused    | authenticated  | retry: the server keeps the authentication that it has              |
// | authenticating | unanswered | authenticated  | retry: AUTH has no reply in time                                    |
// | authenticating | closed     | idle           | none                                                                |
// | any            | any other  | the same       | none                                                                |
class authenticator {
public:
    enum class state : std::uint8_t { idle, asking, greeting, authenticated, renewing, authenticating };
    enum class event : std::uint8_t {
        connect,     // the session begins a new connection
        yielded,     // the provider has yielded credentials that can be used
        failed,      // the provider has failed, or has not answered in time
        accepted,    // the server has accepted the credentials
        refused,     // the server has refused the credentials
        unanswered,  // the server has not replied to AUTH
        due,         // it is time for the next question
        closed,      // the connection has ended
    };
    enum class action : std::uint8_t { none, ask, greet, authenticate, schedule, retry, give_up, abandon };

    struct transition {
        authenticator::state next;
        authenticator::action what;
    };
    static transition transition_of(state, event) noexcept;

    action on(event) noexcept;

    state current_state() const noexcept { return state_; }
    // The server has refused credentials since it last accepted some, so the provider must not yield the same again.
    bool is_refused() const noexcept { return is_refused_; }

private:
    state state_ = state::idle;
    bool is_refused_ = false;
};

// The time from the arrival of credentials to the next question: at least a fifth of their validity remains then, or 5
// minutes, whichever is less, and a jitter, which separates clients whose credentials end at the same instant. At least
// 100 ms, so that credentials of a very short validity cause no storm of questions. `never` has no meaning here:
// credentials without an end need no question.
constexpr core::duration question_after(core::duration valid_for, std::uint64_t random) noexcept
{
    using namespace std::chrono_literals;
    auto const margin = std::min<core::duration>(valid_for / 5, 5min);
    return std::max<core::duration>(valid_for - margin - core::jitter(margin / 2, random), 100ms);
}

// Whether that error text refuses a user or a password, so that other credentials may be accepted.
bool refuses_credentials(std::string_view words) noexcept;

}  // namespace holdfast::session

#endif
