//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/batch_acquire.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <boost/asio/error.hpp>

#include "engine/acquire/contender.hpp"
#include "engine/release/releaser.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

// In one script, which takes a server about 1 ms. Lua does not pass more than about 8,000 keys to one call.
constexpr std::size_t most_locks = 500;

answer granted(answer const& a) noexcept
{
    return {.outcome = outcome::applied, .sent = a.sent, .value = {.type = reply::kind::text, .text = "OK"}};
}

answer held_by_others(answer const& a) noexcept
{
    // The encoding of classify_fenced(), which the protocol of a plain mutex understands, too.
    auto const left = a.value.items[1].integer;
    return {.outcome = outcome::applied, .sent = a.sent, .value = {.type = reply::kind::integer, .integer = -3 - left}};
}

// Nothing was applied. An acquisition takes NOSCRIPT as a reason to send the attempt again, alone, if its head still
// wants the lock.
answer each_for_itself(answer const& a) noexcept
{
    return {.outcome = outcome::refused, .sent = a.sent, .why = refusal::no_script};
}

}  // namespace

bool batch_acquire::take(contender& c, command& tried, attempt const& what)
{
    if (!parts_.empty() && is_for_another_script(what.lock))
        return another_script().take(c, tried, what);
    // The script has one lease time for all locks.
    bool const fits = what.lock.protocol->batch_acquire()
                      && (parts_.empty() || what.lock.protocol == parts_.front().what.lock.protocol)
                      && (parts_.empty() || what.lease == parts_.front().what.lease);
    if (fits)
        parts_.push_back({&c, &tried, what});
    return fits;
}

bool batch_acquire::is_for_another_script(lock_spec const& l) const
{
    if (parts_.size() == most_locks)
        return true;
    auto const& first = parts_.front().what.lock;
    return l.slot != first.slot && (runtime_.router() || runtime_.session_of(first).server().has_hash_slots());
}

batch_acquire& batch_acquire::another_script()
{
    if (!next_)
        next_.reset(new batch_acquire(runtime_, releaser_));
    return *next_;
}

void batch_acquire::send()
{
    if (next_)
        next_->send();
    if (parts_.size() > 1)
        return script_call::send(runtime_.session_of(parts_.front().what.lock));
    for (auto const& p : parts_)
        p.what.lock.protocol->acquire(runtime_.session_of(p.what.lock), *p.tried, p.what, script_form::sha1);
}

void batch_acquire::submit(session& to, command& c, script_form form)
{
    auto const& first = parts_.front().what;
    milliseconds_text const ttl(first.lease);
    boost::container::small_vector<std::string_view, 8> keys;
    boost::container::small_vector<std::string_view, 9> arguments{ttl};
    for (auto const& p : parts_) {
        keys.push_back(p.what.lock.key);
        arguments.push_back(p.what.token);
    }
    // Own releases of these locks are sent first. Each attempt has flushed the releases that were queued before it.
    // More of them may have been queued since, in particular before the text is sent.
    releaser_.flush(runtime_.shard_of(first.lock));
    overtaken_ = releaser_.overtaken();
    submit_script(to, c, *first.lock.protocol->batch_acquire(), form, keys, arguments);
}

void batch_acquire::call_off()
{
    // The acquisitions drop their references when they receive their answers. Contenders leave first: otherwise their
    // attempts would be sent alone.
    boost::intrusive_ptr<batch_acquire> const keep(this);
    for (auto* b = this; b; b = b->next_.get())
        for (auto const& p : b->parts_)
            p.waiter->leave(boost::asio::error::operation_aborted);
    for (auto* b = this; b; b = b->next_.get())
        b->answer_all(each_for_itself({}));
}

void batch_acquire::on_reply(answer const& a)
{
    boost::intrusive_ptr<batch_acquire> const keep(this);
    if (a.outcome == outcome::applied)
        on_applied(a);
    else if (a.outcome == outcome::unknown || a.why == refusal::other)
        answer_all(a);  // each acquisition releases its own token (rule 7)
    else
        answer_all(each_for_itself(a));  // one member causes the error: sent alone, only that one gets it
}

// The outcome of a reply that makes no sense is unknown: the locks may have been granted.
void batch_acquire::on_applied(answer const& a)
{
    if (a.value.type == reply::kind::integer && a.value.integer == 0)
        answer_all(granted(a));
    else if (auto const* held = held_part(a.value))
        on_held(*held, a);
    else
        answer_all({.outcome = outcome::unknown, .sent = a.sent});
}

// One member is held. The contenders of the other members complete first; then their acquisitions make an attempt only
// if another contender waits there.
void batch_acquire::on_held(part const& held, answer const& a)
{
    if (has_overtaken(held) && is_wanted())
        return script_call::send(runtime_.session_of(held.what.lock));
    for (auto const& p : parts_)
        if (&p != &held)
            p.waiter->leave(boost::asio::error::operation_aborted);
    for (auto const& p : parts_)
        p.tried->on_answer(&p == &held ? held_by_others(a) : each_for_itself(a));
}

// Whether the member may be held by this client itself, because the script has overtaken its release.
bool batch_acquire::has_overtaken(part const& held) const
{
    auto const& lock = held.what.lock;
    return releaser_.was_overtaken(lock, overtaken_) && runtime_.session_of(lock).is_open();
}

batch_acquire::part const* batch_acquire::held_part(reply const& r) const noexcept
{
    if (r.items.size() != 2 || r.items[0].integer < 1)
        return nullptr;
    auto const n = static_cast<std::size_t>(r.items[0].integer);
    return n <= parts_.size() ? &parts_[n - 1] : nullptr;
}

// A contender may have been cancelled since the script was sent. The text would acquire its lock nevertheless (rule 7).
bool batch_acquire::is_wanted() const
{
    return std::ranges::all_of(parts_, [](part const& p) { return p.waiter->is_queued(); });
}

void batch_acquire::answer_all(answer const& a)
{
    for (auto const& p : parts_)
        p.tried->on_answer(a);
}

}  // namespace holdfast::engine
