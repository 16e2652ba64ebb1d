//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_AUTHENTICATION_HPP
#define HOLDFAST_SESSION_AUTHENTICATION_HPP

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <holdfast/config.hpp>
#include <holdfast/credentials.hpp>

#include "core/backoff.hpp"
#include "core/deadline_queue.hpp"
#include "engine/port/command.hpp"
#include "engine/port/log.hpp"
#include "engine/port/strand.hpp"
#include "session/authenticator.hpp"
#include "session/provider_call.hpp"

namespace holdfast::session {

// What an authentication needs from its session.
class authenticating_session {
public:
    // The provider has yielded credentials for the connection that connect() was called for.
    virtual void greet_as(holdfast::credentials const&) = 0;
    // It has not, so this attempt to connect ends. `why` is valid during the call.
    virtual void go_without(std::string_view why) = 0;
    // Sends a command on the living connection, in order with those of the engine. Does nothing if the session is about
    // to close the connection; on_closed() follows then.
    virtual void send_auth(engine::command&, std::span<std::string_view const> words) = 0;

    // An owner of the session, and so of its authentication.
    virtual std::shared_ptr<void> keep() = 0;
    virtual core::instant now() const noexcept = 0;
    virtual std::uint64_t random() noexcept = 0;
    virtual void arm(core::deadline&, core::instant) = 0;
    virtual void disarm(core::deadline&) noexcept = 0;

protected:
    ~authenticating_session() = default;
};

// The credentials of a session with a provider (config::credentials): does what an authenticator decides. A session
// without a provider has none. On the strand.
class authentication final : public provider_call::receiver, private core::deadline {
public:
    authentication(engine::strand, credentials_provider, engine::log, authenticating_session&);
    ~authentication();

    // The events of the session. on_refused(): the server has refused the credentials in its greeting, or a command for
    // want of an authentication.
    void connect() { act(machine_.on(authenticator::event::connect)); }
    void on_open() { act(machine_.on(authenticator::event::accepted)); }
    void on_refused() { act(machine_.on(authenticator::event::refused)); }
    void on_closed();
    // No event follows; a question that is under way is cancelled.
    void stop();

private:
    void on_answer(provider_call const&, std::exception_ptr, holdfast::credentials) override;
    void on_due(core::instant) override;
    void on_reply(engine::answer const&);

    void act(authenticator::action, std::string_view why = {});
    void ask();
    void abandon();
    void take(holdfast::credentials);
    void fail(std::string_view why);
    void authenticate();
    void schedule();
    void retry(std::string_view why);

    engine::strand strand_;
    std::shared_ptr<credentials_provider const> const provider_;
    engine::log log_;
    authenticating_session& session_;

    authenticator machine_;
    std::shared_ptr<provider_call> call_;  // null: no question is under way
    holdfast::credentials yielded_;        // by the provider, not sent yet: no password is kept longer
    core::instant next_question_ = core::never;
    core::backoff pause_;       // between failed questions on a living connection
    std::string last_failure_;  // the last that was logged, since the server has accepted credentials
    engine::command_of<authentication, &authentication::on_reply> auth_{*this};
};

}  // namespace holdfast::session

#endif
