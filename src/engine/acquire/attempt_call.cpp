//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/attempt_call.hpp"

#include <algorithm>
#include <utility>

#include <holdfast/error.hpp>

#include "engine/acquire/contender.hpp"
#include "engine/hold/grant.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {

void attempt_call::add_probe(lock_spec const& of)
{
    awaited_ += probe_.send(runtime_.session_of(of), of.key);
}

void attempt_call::send(contender& head, grant const& sought, attempt const& a, script_form form)
{
    is_probed_ = awaited_ > 0;
    ++awaited_;
    asked_.reset();
    lock_ = &sought.lock();
    lease_ = a.lease;
    looks_again_ = a.will_wait || head.tries_again();
    at_ = runtime_.shard_of(*lock_).id();
    form_ = script_form::sha1;
    if (head.batch && head.batch->take(head, command_, a))
        batch_ = head.batch;
    else
        submit(runtime_.session_of(a.lock), a, form);
}

// The server to which the attempt was sent first counts as its server: the answer counts as long as that one has the
// slot.
void attempt_call::send_asking(grant const& sought, attempt const& a)
{
    is_probed_ = false;
    ++awaited_;
    lock_ = &sought.lock();
    auto& to = *runtime_.find_session(*asked_);
    submit_asking(to);
    submit(to, a, form_);
}

bool attempt_call::can_ask() const
{
    auto const* const to = asked_ ? runtime_.find_session(*asked_) : nullptr;
    return to && to->is_open();
}

void attempt_call::submit(session& to, attempt const& a, script_form form)
{
    a.lock.protocol->acquire(to, command_, a, form);
    form_ = script_form::after_no_script(to.scripts().position());
}

// ASK is followed once: the other server does not know better.
acquire_result attempt_call::read(answer const& a)
{
    if (a.why == refusal::redirected && !runtime_.is_at(at_, *lock_))
        return {.what = acquire_result::kind::moved};
    bool const follows = a.why == refusal::asked && !asked_ && lock_->protocol->is_confined();
    if (!follows)
        return lock_->protocol->classify(a);
    asked_ = runtime_.asked(a);
    form_ = script_form::if_sent();
    return asked_ ? acquire_result{.what = acquire_result::kind::asked} : lock_->protocol->classify(a);
}

void attempt_call::on_attempted(answer const& given)
{
    batch_.reset();
    auto const a = runtime_.counted(given, at_, *lock_);
    result_ = read(a);
    sent_ = a.sent;
    runtime_.on_answer(*lock_, a);
    to_.on_answered(a, result_);
    // Read here, because the server's words are valid only within this call.
    // Fewer were set, or those of holders were lost with their ZSET: nobody can tell which.
    auto const words = result_.error == errc::invalid_option
                           ? "weight: there are fewer permits; set_permits() restores those that the server has lost"
                           : a.words;
    bool const is_refused = a.outcome == outcome::refused || result_.what == acquire_result::kind::failed;
    words_ = is_refused ? detail::make_error_text(words) : nullptr;
    report(a.why, words);
    on_reply();
}

// An error that ends an acquire is reported each time. One that passes is reported once until it changes: the attempts
// are repeated while it lasts.
void attempt_call::report(refusal why, std::string_view words)
{
    bool const is_reported = std::exchange(reported_, why) == why && why != refusal::none;
    if (result_.what == acquire_result::kind::failed || !is_reported)
        runtime_.telemetry().on_refused(result_.error, *lock_, words);
}

void attempt_call::on_reply()
{
    if (--awaited_ > 0)
        return;
    // The key is not a lock, and waiting does not help. The flag is taken whatever the result is: it describes the key
    // of this attempt, and must not make a later attempt fail.
    bool const is_foreign = probe_.take_wrong_type();
    bool const is_busy = result_.what == acquire_result::kind::busy;
    if (!is_busy)
        lasts_since_ = core::never;
    if (is_busy && (is_foreign || is_held_for_ever())) {
        result_ = {.what = acquire_result::kind::failed, .error = errc::wrong_type};
        runtime_.telemetry().on_refused(result_.error, *lock_, {});
    }
    if (!must_be_acknowledged())
        return to_.on_result(result_);
    if (!runtime_.await_acknowledgement(*this, at_, *lock_, lease_, sent_))
        give_back({.what = acknowledgement::kind::missing, .words = "the server is not known"});
}

// A mutex that has lost its time to live gets one again with the next renewal of its holder, which comes after a third of the
// lease time. So a waiter looks again until half of it has passed: then there is no such holder, and waiting would not end. A
// single attempt cannot look again, unless a composite lock makes it, which waits for the member then.
bool attempt_call::is_held_for_ever() noexcept
{
    bool const says_so = lock_->protocol->kind() == lock_kind::mutex && result_.remaining == core::duration::max();
    bool const lasts = result_.is_mute ? is_probed_ && probe_.is_lasting() : says_so;
    if (!lasts) {
        lasts_since_ = core::never;
        return false;
    }
    auto const now = runtime_.recent();
    lasts_since_ = std::min(lasts_since_, now);
    return !looks_again_ || now - lasts_since_ >= lease_ / 2;
}

bool attempt_call::must_be_acknowledged() const noexcept
{
    bool const is_granted = result_.what == acquire_result::kind::granted || result_.granted_before > 0;
    return is_granted && runtime_.needs_acknowledgement();
}

void attempt_call::on_acknowledged(acknowledgement const& a)
{
    switch (a.what) {
        case acknowledgement::kind::given: runtime_.telemetry().on_acknowledged(); return to_.on_result(result_);
        case acknowledgement::kind::unknown: return to_.on_result({.what = acquire_result::kind::unknown});
        case acknowledgement::kind::missing:
        case acknowledgement::kind::denied: break;
    }
    give_back(a);
}

void attempt_call::give_back(acknowledgement const& a)
{
    words_ = runtime_.telemetry().on_unacknowledged(*lock_, a).text;
    to_.on_result({.what = acquire_result::kind::unacknowledged, .error = a.error});
}

}  // namespace holdfast::engine
