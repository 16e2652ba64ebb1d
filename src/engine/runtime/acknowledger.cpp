//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/acknowledger.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/lock_name.hpp"
#include "engine/port/refusal.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

using kind = acknowledgement::kind;

std::string milliseconds(core::duration d)
{
    return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(d).count());
}

}  // namespace

acknowledger::acknowledger(runtime& r, engine::session& s, std::shared_ptr<engine::session> link)
    : runtime_(r), session_(s), link_(std::move(link))
{}

acknowledger::~acknowledger()
{
    stop();
}

void acknowledger::stop() noexcept
{
    link_->stop();
    runtime_.disarm(*this);
    waiting_.clear();
    asked_.clear();
    state_ = acknowledgement_state::closed;
}

void acknowledger::await(acknowledgement_waiter& w, lock_spec const& l, core::duration lease, core::instant sent)
{
    w.lock_ = &l;
    w.lease_ = lease;
    w.sent_ = sent;
    waiting_.push_back(w);
    advance(acknowledgement_event::wanted);
}

void acknowledger::advance(acknowledgement_event e)
{
    auto const t = next(state_, e);
    state_ = t.next;
    if (state_ != acknowledgement_state::delayed)
        runtime_.disarm(*this);
    switch (t.step) {
        case acknowledgement_step::wait:
            return runtime_.arm(*this, runtime_.now() + acknowledgement_timeout(waiting_.front().lease_));
        case acknowledgement_step::gather:
        case acknowledgement_step::finish_gather: return gather();
        case acknowledgement_step::ask: return ask();
        case acknowledgement_step::fail: return fail_all("the connection for acknowledgements is not open");
        case acknowledgement_step::finish:  // on_counted() has the outcome
        case acknowledgement_step::none: return;
    }
}

// ---- the session

void acknowledger::on_session_open()
{
    session_opened_ = runtime_.now();
}

// A question that is under way was for the old epoch: nobody is left to whom its answer matters.
void acknowledger::on_session_closed()
{
    advance(acknowledgement_event::emptied);
    finish_all(asked_, {});
    finish_all(waiting_, {});
}

void acknowledger::on_moved(core::slot_set const& moved)
{
    waiters gone;
    for (auto* const list : {&asked_, &waiting_})
        for (auto at = list->begin(); at != list->end();) {
            auto& w = *at++;
            if (moved[w.lock_->slot]) {
                list->erase(list->iterator_to(w));
                gone.push_back(w);
            }
        }
    finish_all(gone, {});
}

// ---- the link

void acknowledger::on_open()
{
    link_opened_ = runtime_.now();
    advance(acknowledgement_event::opened);
}

void acknowledger::on_closed(closing const&)
{
    advance(acknowledgement_event::closed);
}

void acknowledger::on_due(core::instant)
{
    advance(acknowledgement_event::due);
}

// The link may have been lost or dropped in this turn: on_closed() follows.
void acknowledger::gather()
{
    if (link_->is_open())
        link_->await_turn_end();
}

// Those who wait may have been destroyed since.
void acknowledger::on_turn_end()
{
    if (state_ != acknowledgement_state::gathering)
        return;
    if (waiting_.empty())
        return advance(acknowledgement_event::emptied);
    if (is_at_same_server())
        return advance(acknowledgement_event::turn_end);
    advance(acknowledgement_event::emptied);
    leave_older();
    fail_all("the connections are not to the same server");
}

bool acknowledger::is_at_same_server() const
{
    return session_.is_open() && session_.server().is_same_server(link_->server());
}

// Without the right to INFO the servers are not known, and another connection would not help.
void acknowledger::leave_older()
{
    if (!session_.is_open() || session_.server().run_id.empty() || link_->server().run_id.empty())
        return;
    auto& older = link_opened_ < session_opened_ ? *link_ : session_;
    older.drop("the address leads to another server than before");
}

// ---- a question

void acknowledger::ask()
{
    asked_.swap(waiting_);
    auto const shortest = std::ranges::min_element(asked_, {}, &acknowledgement_waiter::lease_)->lease_;
    auto const key = core::prefixed("holdfast_ack", asked_.front().lock_->key);
    auto const replicas = std::to_string(runtime_.options().acknowledged_by);
    auto const timeout = milliseconds(acknowledgement_timeout(shortest));
    link_->submit(write_, std::array<std::string_view, 5>{"SET", key, "", "PX", "1"});
    link_->submit(count_, std::array<std::string_view, 3>{"WAIT", replicas, timeout});
}

void acknowledger::on_written(answer const& a)
{
    written_ = a.outcome == outcome::applied ? acknowledgement{.what = kind::given} : refused(a);
}

// The state comes first: who is told may wait again.
void acknowledger::on_counted(answer const& a)
{
    auto const result = written_.what == kind::given ? judge(a) : written_;
    if (a.outcome == outcome::unknown)
        link_->drop("a question to the replicas was not answered");
    waiters told;
    told.swap(asked_);
    doubt(result);
    advance(acknowledgement_event::answered);
    finish_all(told, result);
}

acknowledgement acknowledger::judge(answer const& a)
{
    if (a.outcome != outcome::applied)
        return refused(a);
    auto const needed = runtime_.options().acknowledged_by;
    if (a.value.integer >= static_cast<std::int64_t>(needed))
        return {.what = kind::given};
    words_ = std::to_string(a.value.integer) + " of " + std::to_string(needed) + " replicas acknowledged in time";
    return {.what = kind::missing, .words = words_};
}

acknowledgement acknowledger::refused(answer const& a)
{
    if (a.outcome == outcome::unknown)
        words_ = "the server did not answer";
    else
        words_ = a.words;
    bool const is_denied = a.outcome == outcome::refused && a.why == refusal::not_permitted;
    return {
        .what = is_denied ? kind::denied : kind::missing,
        .error = is_denied ? error_code(errc::not_permitted) : error_code(),
        .words = words_};
}

// A master that was replaced, and does not know it, has lost its replicas.
void acknowledger::doubt(acknowledgement const& a)
{
    if (a.what == kind::missing && session_.is_open())
        session_.doubt();
}

void acknowledger::fail_all(std::string_view words)
{
    acknowledgement const failed{.what = kind::missing, .words = words};
    doubt(failed);
    finish_all(asked_, failed);
    finish_all(waiting_, failed);
}

// Those who wait again while they are told are not in the list.
void acknowledger::finish_all(waiters& some, acknowledgement const& result)
{
    waiters told;
    told.swap(some);
    auto const oldest = runtime_.now() - longest_unacknowledged;
    while (!told.empty()) {
        auto& w = told.front();
        told.pop_front();
        bool const is_late = result.what == kind::given && w.sent_ < oldest;
        w.on_acknowledged(is_late ? acknowledgement{kind::missing, {}, "the acknowledgement came too late"} : result);
    }
}

}  // namespace holdfast::engine
