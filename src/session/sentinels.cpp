//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/sentinels.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::session {

sentinels::sentinels(engine::strand const& on, sentinel_group g, engine::log const& l, following_session& s)
    : master_name_(std::move(g.master_name)),
      login_(std::move(g.login)),
      has_login_(!g.provider),
      session_(s),
      view_(g.places.size())
{
    if (g.provider)
        authentication_ = std::make_unique<authentication>(
            on, std::move(g.provider), l, static_cast<authenticating_session&>(*this));
    for (auto& place : g.places)
        links_.emplace_back(
            std::move(place), login_, master_name_, session_, static_cast<sentinel_link::listener&>(*this));
}

void sentinels::find()
{
    is_finding_ = false;
    session_.disarm(*this);
    schedule_.on(engine::topology_event::closed);
    bool const may_ask = may_connect() || has_open_link();
    awaits_login_ = !may_ask;
    if (may_ask)
        ask_all();
}

// With a transport in memory the answers may come within ask(), so the state changes after all of them were asked.
void sentinels::ask_all()
{
    has_answer_ = false;
    for (auto& l : links_)
        l.ask();
    is_finding_ = true;
    session_.arm(*this, session_.now() + (has_answer_ ? grace : sentinel_link::reply_limit));
    if (is_complete())
        conclude();
}

void sentinels::stop() noexcept
{
    is_finding_ = awaits_login_ = false;
    followed_.reset();
    session_.disarm(*this);
    if (authentication_)
        authentication_->stop();
    for (auto& l : links_)
        l.stop();
}

void sentinels::on_answer(sentinel_link& from, named_master m)
{
    view_.on_answer(place_of(from), std::move(m), session_.now());
    bool const is_first = !std::exchange(has_answer_, true);
    if (!is_finding_)
        return follow();
    if (is_first)
        session_.arm(*this, session_.now() + grace);
    if (is_complete())
        conclude();
}

void sentinels::on_failure(sentinel_link& from)
{
    if (from.current_state() == sentinel_link::state::answered)
        view_.on_unknown(place_of(from));
    if (refuses_credentials(from.failure()))
        note_refusal();
    if (is_finding_ && is_complete())
        conclude();
}

void sentinels::on_due(core::instant)
{
    auto const self = session_.keep();
    is_finding_ ? conclude() : carry_out(schedule_.on(engine::topology_event::due));
}

std::size_t sentinels::place_of(sentinel_link const& l) const
{
    auto const at = std::ranges::find_if(links_, [&](auto const& other) { return &other == &l; });
    return static_cast<std::size_t>(at - links_.begin());
}

bool sentinels::is_complete() const
{
    return std::ranges::none_of(links_, [](auto const& l) { return l.current_state() == sentinel_link::state::asked; });
}

// Without an answer since find() the last one does not count either: the master may have been replaced meanwhile.
void sentinels::conclude()
{
    is_finding_ = false;
    session_.disarm(*this);
    auto const& master = view_.judge(session_.now());
    if (!has_answer_ || !master)
        return session_.on_no_master(failures(), cause());
    schedule_.note_slots(master != followed_);
    followed_ = *master;
    carry_out(schedule_.on(engine::topology_event::slots));
    session_.on_master(*followed_);
}

// The event is last: the session may stop in it. An answer to the question of a link's own interval leaves the schedule
// as it is: a doubt that waits for the end of a pause would otherwise wait for another one.
void sentinels::follow()
{
    using enum engine::topology_state;
    auto const& master = view_.judge(session_.now());
    bool const is_other = followed_ && master && *master != *followed_;
    if (schedule_.state() == asked || schedule_.state() == doubted) {
        schedule_.note_slots(is_other);
        carry_out(schedule_.on(engine::topology_event::slots));
    }
    if (!is_other || awaits_login_)
        return;
    followed_ = *master;
    session_.on_master(*followed_);
}

// The deadline first: with a transport in memory the answers may come within ask_anew(), and the session may stop. If
// no sentinel answers in time the question is over: its links give up those that hang.
void sentinels::carry_out(engine::topology_step s)
{
    using enum engine::topology_step;
    if (s == leave)
        return carry_out(schedule_.on(engine::topology_event::slots));
    if (s != none)
        session_.arm(*this, schedule_.deadline(session_.now(), session_.random()));
    if (s != ask)
        return;
    for (auto& l : links_)
        if (followed_)
            l.ask_anew();
}

// ---- the provider

// One that accepts what another one has refused does not take the refusal back.
void sentinels::on_greeted()
{
    if (authentication_ && has_login_)
        authentication_->on_open();
}

// If not, greet_as() or go_without() follows. Nothing happens if the provider was asked already.
bool sentinels::may_connect()
{
    if (!has_login_)
        authentication_->connect();
    return has_login_;
}

// Links whose sentinel had refused the last ones connect at their next interval.
void sentinels::greet_as(holdfast::credentials const& c)
{
    login_.has_password = has_login_ = true;
    login_.user = c.user;
    login_.password = c.password;
    if (std::exchange(awaits_login_, false))
        ask_all();
}

void sentinels::go_without(std::string_view why)
{
    if (std::exchange(awaits_login_, false))
        session_.on_no_master("no credentials for the sentinels: " + std::string(why), cause());
}

// Each link judges the reply of its sentinel.
void sentinels::send_auth(engine::command& c, std::span<std::string_view const> words)
{
    login_.user = words[1];
    login_.password = words[2];
    for (auto& l : links_)
        l.authenticate();
    c.on_answer({.outcome = engine::outcome::applied, .sent = session_.now()});
}

// The others are asked although one has refused what they have accepted.
bool sentinels::has_open_link() const
{
    return std::ranges::any_of(links_, [](auto const& l) { return l.current_state() != sentinel_link::state::closed; });
}

// Several sentinels refuse the same credentials.
void sentinels::note_refusal()
{
    if (!authentication_ || !std::exchange(has_login_, false))
        return;
    authentication_->on_refused();
    authentication_->on_closed();
}

end_cause sentinels::cause() const noexcept
{
    return has_login_ ? end_cause::lost : end_cause::credentials;
}

std::string sentinels::failures() const
{
    std::string words = "no sentinel names the master '" + master_name_ + "'";
    for (auto const& l : links_)
        words += (&l == &links_.front() ? ": " : "; ") + l.name() + ": "
                 + (l.failure().empty() ? "no reply in time" : l.failure());
    return words;
}

}  // namespace holdfast::session
