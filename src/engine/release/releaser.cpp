//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/release/releaser.hpp"

#include <algorithm>
#include <utility>

#include <holdfast/error.hpp>

#include "core/backoff.hpp"
#include "core/pooled.hpp"
#include "engine/hold/arbiter.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/release/end_listener.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

// The server executes nothing else during the script, which takes about 0.1 ms for so many.
constexpr std::size_t batch_size = 64;

}  // namespace

// One release, from its queueing until its end. It keeps the grant, whose token it sends, and the seller, which may
// have no contender any more when the reply comes.
class releaser::order final : public core::pooled<order>,
                              public batchable_call,
                              public core::deadline,
                              public boost::intrusive::list_base_hook<> {
public:
    order(releaser& r, boost::intrusive_ptr<grant> g, release_waiter* waiter, arbiter* seller)
        : releaser_(r), grant_(std::move(g)), waiter_(waiter), seller_(seller), queued_(r.runtime_.now())
    {}

    void begin();
    void on_open(core::instant now);
    void abandon();
    lock_spec const& lock() const noexcept { return grant_->lock(); }

private:
    void add_to(script_words&) const override;
    void submit(session&, command&, script_form) override;
    bool is_wanted() const override { return true; }  // the text is always sent: a retired token is only ever deleted
    void on_reply(answer const&) override;
    void on_due(core::instant now) override;

    void leave();
    void on_applied(std::int64_t count);
    void on_refused(answer const&);
    void try_later();
    void finish(error_code, unsigned heard);
    void tell(error_code);

    engine::runtime& runtime() const { return releaser_.runtime_; }
    core::instant expiry() const { return grant_->expiry(queued_); }
    core::instant waiter_deadline() const { return queued_ + runtime().options().command_timeout; }

    releaser& releaser_;
    boost::intrusive_ptr<grant> grant_;
    release_waiter* waiter_;
    boost::intrusive_ptr<arbiter> seller_;
    core::instant queued_;
    core::backoff pauses_{std::chrono::milliseconds(10), std::chrono::seconds(1)};
    bool repeated_ = false;  // an earlier send may have been executed
};

releaser::releaser(runtime& r, end_listener& l)
    : runtime_(r), listener_(l), batches_(r.session(), r.log(), "released", batch_size)
{}

std::size_t releaser::size() const noexcept
{
    return orders_.size();
}

releaser::~releaser()
{
    stop();
}

void releaser::release(boost::intrusive_ptr<grant> g, release_waiter* waiter, arbiter* seller)
{
    // Before anything is sent: from here on no renewal or hand-off uses the token (rule 17).
    g->retire();
    auto* o = new order(*this, std::move(g), waiter, seller);
    orders_.push_back(*o);
    o->begin();
}

void releaser::gather(script const& s, order& o)
{
    // The first release of a batch requests on_turn_end(), which the session calls by itself only after a command.
    if (batches_.are_allowed() && !batches_.is_gathering())
        runtime_.session().await_turn_end();
    batches_.add(s, o);
}

void releaser::flush()
{
    batches_.flush();
}

void releaser::flush(lock_spec const& of)
{
    // All calls in these batches are orders.
    batches_.flush_if([&](auto const& c) { return static_cast<order const&>(c).lock().has_key_of(of); });
}

void releaser::on_open()
{
    batches_.on_open();
    auto const now = runtime_.now();
    for (auto& o : orders_)
        o.on_open(now);
    flush();
}

void releaser::on_closed()
{
    batches_.on_closed();
}

void releaser::stop()
{
    // First, because batches refer to orders.
    batches_.stop();
    orders_.clear_and_dispose([](order* o) {
        o->abandon();
        delete o;
    });
}

void releaser::order::begin()
{
    // Without a connection the waiter completes after command_timeout, while the release goes on; on_open() sends it.
    if (runtime().session().is_open())
        leave();
    else
        runtime().arm(*this, waiter_deadline());
}

void releaser::order::on_open(core::instant now)
{
    // The barrier has ended the old connection: an acquire or a renewal of unknown outcome can no longer set the key
    // (rule 8).
    grant_->on_barrier(now);
    leave();
}

void releaser::order::leave()
{
    if (is_under_way())
        return;
    auto const* together = seller_ ? nullptr : lock().protocol->batch_release();
    if (together)
        releaser_.gather(*together, *this);
    else
        send(runtime().session());
}

void releaser::order::add_to(script_words& to) const
{
    to.keys.push_back(lock().key);
    to.arguments.push_back(grant_->token());
    to.arguments.push_back(lock().channel);
}

void releaser::order::submit(session& to, command& c, script_form form)
{
    lock().protocol->release(to, c, lock(), grant_->token(), form);
}

void releaser::order::on_reply(answer const& a)
{
    if (a.outcome == outcome::applied)
        on_applied(a.value.integer);
    else if (a.outcome == outcome::refused)
        on_refused(a);
    else {
        // A lost reply or a lost connection: the server may have executed the release, or may yet do so.
        repeated_ = true;
        try_later();
    }
}

// A repeated release that finds no token is a success: an earlier one deleted it (rule 7).
void releaser::order::on_applied(std::int64_t count)
{
    if (count > 0)
        finish({}, static_cast<unsigned>(count - 1));
    else
        finish(repeated_ ? error_code() : errc::lease_lost, 0);
}

void releaser::order::on_refused(answer const& a)
{
    auto const v = classify_failure(a);
    if (v.what != acquire_result::kind::failed || v.error == errc::server_refused)
        try_later();
    else if (v.error == errc::wrong_type)
        finish(errc::lease_lost, 0);  // the key is of another type, so the token is gone
    else {
        // A missing right, for example: a repetition would be refused, too, and the key expires.
        runtime().telemetry().on_refused(v.error, grant_->lock(), a.words);
        finish(v.error, 0);
    }
}

void releaser::order::try_later()
{
    auto const now = runtime().now();
    if (now >= expiry())
        return finish(errc::unavailable, 0);
    // Without a connection a pause is of no use: on_open() sends the release.
    auto when = runtime().session().is_open() ? now + pauses_.next(runtime().random()) : expiry();
    if (waiter_)
        when = std::min(when, waiter_deadline());
    runtime().arm(*this, std::max(when, now));
}

void releaser::order::on_due(core::instant now)
{
    // The waiter completes, but the release goes on.
    if (waiter_ && now >= waiter_deadline())
        tell(errc::unavailable);
    if (is_under_way())
        return;
    if (now >= expiry())
        finish(errc::unavailable, 0);
    else if (runtime().session().is_open())
        leave();
    else
        runtime().arm(*this, expiry());
}

void releaser::order::finish(error_code ec, unsigned heard)
{
    auto& r = releaser_;
    // Out of the list first: the listener checks whether a release is left.
    r.orders_.erase(r.orders_.iterator_to(*this));
    std::unique_ptr<order> const self(this);
    tell(ec);
    if (seller_)
        seller_->on_released(heard);
    // Last: it may complete a shutdown.
    r.listener_.on_end();
}

void releaser::order::tell(error_code ec)
{
    if (auto* w = std::exchange(waiter_, nullptr))
        w->released(ec);
}

void releaser::order::abandon()
{
    tell(errc::client_stopped);
}

}  // namespace holdfast::engine
