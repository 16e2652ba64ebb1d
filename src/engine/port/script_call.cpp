//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/port/script_call.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

namespace holdfast::engine {
namespace {

// For a call that its caller does not want any more, and that was not applied. NOSCRIPT is the refusal after which a
// caller knows that.
answer not_applied(answer const& a) noexcept
{
    return {.outcome = outcome::refused, .sent = a.sent, .why = refusal::no_script};
}

answer part_of(answer const& a, reply const& part) noexcept
{
    return {.outcome = outcome::applied, .sent = a.sent, .value = part};
}

// For a reply of a wrong shape: the server executed the script, but its effect is not known. The server, or the script,
// is not the one that the library expects.
answer unknown(answer const& a) noexcept
{
    return {.outcome = outcome::unknown, .sent = a.sent};
}

bool has_parts(answer const& a, std::size_t count) noexcept
{
    return a.value.type == reply::kind::array && a.value.items.size() == count;
}

}  // namespace

void script_call::send(session& to)
{
    assert(state_ == state::idle && to.is_open());
    to_ = &to;
    submit(script_form::sha1);
}

void script_call::submit(script_form f)
{
    state_ = submits_text(f) ? state::by_text : state::by_sha1;
}

void script_call::submit_asking(script_form f)
{
    engine::submit_asking(*to_);
    state_ = submits_text(f) ? state::asks_by_text : state::asks_by_sha1;
}

// The script cache decides within submit(), and its position shows how.
bool script_call::submits_text(script_form f)
{
    auto const before = to_->scripts().position();
    submit(*to_, *this, f);
    sent_ = to_->scripts().position();
    return sent_ != before;
}

void script_call::on_answer(answer const& a)
{
    if (repeat(a) || ask(a))
        return;
    if (a.outcome != outcome::applied || shape_ == reply_shape::value)
        finish(a);
    else
        finish(has_parts(a, 1) ? part_of(a, a.value.items.front()) : unknown(a));
}

// If the session is not open any more, nothing can be submitted, and NOSCRIPT is the outcome.
bool script_call::repeat(answer const& a)
{
    bool const asks = state_ == state::asks_by_sha1;
    if (a.why != refusal::no_script || !(asks || state_ == state::by_sha1) || !to_->is_open() || !is_wanted())
        return false;
    on_overtaken();
    auto const f = script_form::after_no_script(sent_);
    asks ? submit_asking(f) : submit(f);
    return true;
}

// A source and a destination of a slot that is being moved: the key is at the other one. Followed once: the other server
// does not know better.
bool script_call::ask(answer const& a)
{
    bool const may_follow = state_ == state::by_sha1 || state_ == state::by_text;
    if (a.why != refusal::asked || !may_follow || !is_wanted())
        return false;
    auto* const other = follow(a);
    if (!other || !other->is_open())
        return false;
    to_ = other;
    submit_asking(script_form::if_sent());
    return true;
}

// Idle before the call, after which this object may not exist any more.
void script_call::finish(answer const& a)
{
    state_ = state::idle;
    on_reply(a);
}

void script_batch::add(batchable_call& c)
{
    assert(state_ == state::gathering && !c.is_under_way());
    c.state_ = script_call::state::batched;
    c.to_ = nullptr;
    calls_.push_back(&c);
}

void script_batch::submit(script_form form)
{
    script_words words;
    for (auto const* c : calls_)
        c->add_to(words);
    auto const before = home_.to_.scripts().position();
    submit_script(home_.to_, *this, script_, form, words.keys, words.arguments);
    sent_ = home_.to_.scripts().position();
    state_ = sent_ == before ? state::by_sha1 : state::by_text;
}

void script_batch::call_off()
{
    assert(state_ == state::gathering);
    finish_all(calls_, {.outcome = outcome::refused, .why = refusal::not_now});
}

// `self` owns the batch until the end of the function; take() has removed it from the batches under way. Members are
// called last, because they may send new calls.
void script_batch::on_answer(answer const& a)
{
    bool const is_open = home_.to_.is_open();
    if (a.why == refusal::no_script && state_ == state::by_sha1 && is_open)
        return repeat(a);
    auto const self = home_.take(*this);
    if (a.outcome == outcome::applied)
        return on_applied(a);
    bool const is_of_a_member = a.outcome == outcome::refused && !is_passing(a.why) && !is_of_slot(a.why);
    if (!(is_of_a_member || is_of_open_slot(a.why)) || !is_open)
        return finish_all(calls_, a);
    if (!is_of_open_slot(a.why))
        home_.refuse(a.words);
    auto const unwanted = take_unwanted();
    // Before the unwanted members complete: `is_open` holds only until a member is called.
    note_overtaken();
    send_alone();
    finish_all(unwanted, not_applied(a));
}

void script_batch::on_applied(answer const& a)
{
    if (has_parts(a, calls_.size()))
        return finish_parts(a);
    home_.refuse("the reply does not have a part for each lock");
    finish_all(calls_, unknown(a));
}

// Submits the script before the unwanted members complete: the session is known to be open only until a member is called.
void script_batch::repeat(answer const& a)
{
    auto const unwanted = take_unwanted();
    auto const self = calls_.empty() ? home_.take(*this) : nullptr;
    if (!self) {
        note_overtaken();
        submit(script_form::after_no_script(sent_));
    }
    finish_all(unwanted, not_applied(a));
}

void script_batch::note_overtaken() const
{
    for (auto* c : calls_)
        c->on_overtaken();
}

// Removes the calls that are not wanted any more. Each call decides for itself: one that is given up must not be sent
// because others in its batch are wanted.
script_batch::calls script_batch::take_unwanted()
{
    calls wanted, unwanted;
    for (auto* c : calls_)
        (c->is_wanted() ? wanted : unwanted).push_back(c);
    calls_ = std::move(wanted);
    return unwanted;
}

void script_batch::finish_parts(answer const& a)
{
    for (std::size_t i = 0; i < calls_.size(); ++i)
        calls_[i]->finish(part_of(a, a.value.items[i]));
}

// Each call tries EVALSHA first, even if the batch was sent by its text: the script for single calls may be another
// one, which the server has.
void script_batch::send_alone()
{
    for (auto* c : calls_) {
        c->state_ = script_call::state::idle;
        c->send(home_.to_);
    }
}

void script_batch::finish_all(calls const& all, answer const& a)
{
    for (auto* c : all)
        c->finish(a);
}

script_batches::script_batches(session& to, log const& l, std::string_view done, std::size_t most) noexcept
    : to_(to), log_(l), done_(done), most_(most)
{}

script_batches::~script_batches()
{
    stop();
}

bool script_batches::is_gathering() const noexcept
{
    return std::ranges::any_of(gathering_, [](auto const& entry) { return entry.second != nullptr; });
}

void script_batches::add(script const& s, std::uint16_t slot, batchable_call& c)
{
    if (are_refused_)
        return c.send(to_);
    auto& b = gathering_[{slot_of_group(slot), &s}];
    if (!b)
        b = std::make_unique<script_batch>(*this, s);
    b->add(c);
    if (b->calls_.size() == most_)
        send(b);
}

// The few entries of slot 0 stay, so that a server without hash slots costs no allocation. Those of other slots go:
// there may be one for each lock.
void script_batches::flush()
{
    for (auto& [group, b] : gathering_)
        send(b);
    gathering_.erase(gathering_.lower_bound({1, nullptr}), gathering_.end());
}

void script_batches::send(std::unique_ptr<script_batch>& gathered)
{
    auto b = std::move(gathered);
    if (!b)
        return;
    if (b->calls_.size() == 1)
        return b->send_alone();
    // From here on the list owns it, until take() or stop().
    under_way_.push_back(*b);
    b.release()->submit(script_form::sha1);
}

void script_batches::on_closed()
{
    for (auto& [group, gathered] : gathering_)
        if (auto const b = std::move(gathered))
            b->call_off();
}

std::unique_ptr<script_batch> script_batches::take(script_batch& b) noexcept
{
    under_way_.erase(under_way_.iterator_to(b));
    return std::unique_ptr<script_batch>(&b);
}

// Logged once in an epoch, although several batches may be under way when the first one is refused.
void script_batches::refuse(std::string_view words)
{
    if (std::exchange(are_refused_, true))
        return;
    std::string line("several locks cannot be ");
    line.append(done_).append(" by one script, so each is ").append(done_).append(" alone: ").append(words);
    log_.warning(line);
}

// Does not call the members: their owners end them on their own.
void script_batches::stop() noexcept
{
    gathering_.clear();
    under_way_.clear_and_dispose(std::default_delete<script_batch>());
}

}  // namespace holdfast::engine
