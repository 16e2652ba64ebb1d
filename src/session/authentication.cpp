//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/authentication.hpp"

#include <utility>

#include <boost/system/system_error.hpp>

#include "core/bounds.hpp"
#include "session/words.hpp"

namespace holdfast::session {
namespace {

using namespace std::chrono_literals;
using action = authenticator::action;
using event = authenticator::event;

// How long the provider may take. Documented at config::credentials.
constexpr core::duration answer_limit = 10s;

// The text of an exception is not logged, because it may contain a password or a token. The message of an error code
// comes from its category, which does not know them.
std::string text_of(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (boost::system::system_error const& e) {
        return "the provider failed: " + printable(e.code().message());
    } catch (...) {
        return "the provider threw an exception";
    }
}

// Why these credentials cannot be used; empty: they can.
std::string_view fault_of(holdfast::credentials const& c)
{
    if (c.password.empty())
        return "the provider yielded an empty password";
    return c.valid_for <= 0ms ? "the provider yielded credentials that have ended already" : std::string_view();
}

}  // namespace

authentication::authentication(engine::strand on, credentials_provider p, engine::log l, authenticating_session& s)
    : strand_(std::move(on)),
      provider_(std::make_shared<credentials_provider const>(std::move(p))),
      log_(std::move(l)),
      session_(s),
      pause_(100ms, 5s)
{}

// Not abandon(): the execution context may be ending.
authentication::~authentication()
{
    if (call_)
        call_->forget();
}

void authentication::on_closed()
{
    session_.disarm(*this);
    act(machine_.on(event::closed));
}

void authentication::stop()
{
    session_.disarm(*this);
    abandon();
}

void authentication::act(authenticator::action what, std::string_view why)
{
    switch (what) {
        case action::none: return;
        case action::ask: return ask();
        case action::greet: return session_.greet_as(std::exchange(yielded_, {}));
        case action::authenticate: return authenticate();
        case action::schedule: return schedule();
        case action::retry: return retry(why);
        case action::give_up: return session_.go_without(why);
        case action::abandon: return abandon();
    }
}

// ---- the provider

// The receiver is weak, and an alias of the session: a provider that never completes does not keep the session alive.
void authentication::ask()
{
    call_ = std::make_shared<provider_call>(strand_, std::shared_ptr<provider_call::receiver>(session_.keep(), this));
    session_.arm(*this, session_.now() + answer_limit);
    call_->start(provider_, {.is_refused = machine_.is_refused()});
}

void authentication::abandon()
{
    if (auto const last = std::exchange(call_, nullptr))
        last->abandon();
}

// An answer that was posted before its call was abandoned is dropped.
void authentication::on_answer(provider_call const& from, std::exception_ptr failure, holdfast::credentials c)
{
    if (call_.get() != &from)
        return;
    call_.reset();
    session_.disarm(*this);
    if (failure)
        return fail(text_of(failure));
    take(std::move(c));
}

void authentication::take(holdfast::credentials c)
{
    if (auto const fault = fault_of(c); !fault.empty())
        return fail(fault);
    auto const valid_for = core::bounded(c.valid_for);
    next_question_ = valid_for == core::longest ? core::never
                                                : session_.now() + question_after(valid_for, session_.random());
    yielded_ = std::move(c);
    act(machine_.on(event::yielded));
}

void authentication::fail(std::string_view why)
{
    act(machine_.on(event::failed), why);
}

// There is one deadline: of the question that is under way, else of the next one. `owner`: the engine may release the
// last other owner of the session.
void authentication::on_due(core::instant)
{
    auto const owner = session_.keep();
    if (!call_)
        return act(machine_.on(event::due));
    abandon();
    fail("the provider did not complete within 10 s");
}

// ---- the server

void authentication::authenticate()
{
    auto const c = std::exchange(yielded_, {});
    std::array<std::string_view, 3> const words{
        "AUTH", c.user.empty() ? std::string_view("default") : c.user, c.password};
    session_.send_auth(auth_, words);
}

void authentication::on_reply(engine::answer const& a)
{
    switch (a.outcome) {
        case engine::outcome::applied: return act(machine_.on(event::accepted));
        case engine::outcome::refused: return act(machine_.on(event::refused), a.words);
        case engine::outcome::unknown: break;
    }
    act(machine_.on(event::unanswered), "the server did not reply to AUTH in time");
}

void authentication::schedule()
{
    pause_.reset();
    if (!std::exchange(last_failure_, {}).empty())
        log_.info("the server has accepted new credentials");
    if (next_question_ != core::never)
        session_.arm(*this, next_question_);
}

// The connection stays: the server keeps the authentication that it has.
void authentication::retry(std::string_view why)
{
    auto const words = printable(why);
    if (std::exchange(last_failure_, words) != words)
        log_.warning("no new credentials: " + words + "; the client asks again");
    session_.arm(*this, session_.now() + pause_.next(session_.random()));
}

}  // namespace holdfast::session
