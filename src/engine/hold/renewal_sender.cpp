//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/hold/renewal_sender.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

#include <holdfast/error.hpp>

#include "core/pooled.hpp"
#include "engine/hold/tenure.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

// Whether a renewal may be sent: not after a release was queued (rule 17), nor after the local deadline (rule 4).
bool is_alive(grant const& g, core::instant now) noexcept
{
    return !g.is_retired() && g.lasts(now);
}

// The replies of a renewal script.
constexpr std::int64_t key_missing = 0;
constexpr std::int64_t kept_closed = 2;

}  // namespace

// One renewal of one grant, from its creation until its reply. An extension is a renewal with a waiter. It keeps the
// grant and the tenure: both may end before the reply comes.
class renewal_sender::renewal final : public core::pooled<renewal>,
                                      public batchable_call,
                                      public boost::intrusive::list_base_hook<> {
public:
    renewal(renewal_sender& s, grant& g, tenure* t, core::duration lease, extension_waiter* w)
        : batchable_call(reply_shape::list),
          sender_(s),
          grant_(&g),
          tenure_(t),
          lease_(lease),
          lease_text_(lease),
          waiter_(w)
    {
        // Not in submit(), which may run twice before the one reply: by SHA1, then by text.
        g.on_sent(lease);
    }

    void finish(error_code);
    lock_spec const& lock() const noexcept { return grant_->lock(); }
    void send_to(shard const& at) noexcept { at_ = &at; }

private:
    void add_to(script_words&) const override;
    void submit(session&, command&, script_form) override;
    // Checked again before the text is sent, which would otherwise renew a grant that was released since (rule 7).
    bool is_wanted() const override { return is_alive(*grant_, sender_.runtime_.now()); }
    // A renewal touches nothing but its KEYS, of each kind of lock.
    session* follow(answer const& ask) override { return sender_.runtime_.asked_session(ask); }
    void on_reply(answer const&) override;

    // Whether the grant, or the tenure that was to be extended, is still held: the reply may come after its release.
    bool is_current() const { return !grant_->is_retired() && (tenure_ ? tenure_->is_holding() : grant_->is_held()); }
    error_code classify(answer const&);
    error_code classify_refusal(answer const&);

    renewal_sender& sender_;
    boost::intrusive_ptr<grant> grant_;
    boost::intrusive_ptr<tenure> tenure_;
    core::duration lease_;
    milliseconds_text lease_text_;
    extension_waiter* waiter_;
    shard const* at_ = nullptr;  // to which it was sent
};

void renewal_sender::renewal::add_to(script_words& to) const
{
    assert(is_wanted());
    lock().protocol->add_batch_keys(lock(), grant_->own_key(), to.keys);
    to.arguments.push_back(grant_->token());
    if (!lock().weight.empty())
        to.arguments.push_back(lock().weight);
    to.arguments.push_back(lease_text_);
}

void renewal_sender::renewal::submit(session& to, command& c, script_form form)
{
    script_words words;
    add_to(words);
    submit_script(to, c, lock().protocol->renewal(), form, words.keys, words.arguments);
}

void renewal_sender::renewal::on_reply(answer const& given)
{
    auto const a = sender_.runtime_.counted(given, *at_, lock());
    grant_->on_answered(sender_.runtime_.now(), a.outcome != outcome::unknown);
    sender_.renewals_.erase(sender_.renewals_.iterator_to(*this));
    std::unique_ptr<renewal> const self(this);
    finish(classify(a));
}

error_code renewal_sender::renewal::classify(answer const& a)
{
    if (!is_current() || a.why == refusal::no_script)
        return errc::lease_lost;
    if (a.outcome == outcome::refused)
        return classify_refusal(a);
    if (a.outcome == outcome::unknown) {
        sender_.events_.on_unanswered(*grant_);
        return errc::unavailable;
    }
    if (a.value.integer == key_missing)
        sender_.events_.on_key_missing(*grant_);
    else if (sender_.events_.on_kept(*grant_, tenure_.get(), a, lease_, a.value.integer == kept_closed))
        return {};
    return errc::lease_lost;
}

// A refused extension does not put the lease at risk: the renewals decide that.
error_code renewal_sender::renewal::classify_refusal(answer const& a)
{
    // The watchdog renews the grant at its new server without waiting for this refusal.
    if (a.why == refusal::redirected && !sender_.runtime_.is_at(*at_, lock()))
        return errc::unavailable;
    auto const ec = classify_failure(a).error;
    if (!waiter_)
        sender_.events_.on_refused(*grant_, a);
    return ec ? ec : errc::unavailable;
}

void renewal_sender::renewal::finish(error_code ec)
{
    if (auto* w = std::exchange(waiter_, nullptr))
        w->extended(ec);
}

renewal_sender::renewal_sender(runtime& r, renewal_events& e) : runtime_(r), events_(e) {}

renewal_sender::~renewal_sender()
{
    stop();
}

void renewal_sender::renew(std::vector<boost::intrusive_ptr<grant>> const& due)
{
    auto const now = runtime_.now();
    for (auto const& g : due)
        if (is_alive(*g, now))
            gather(make(*g, nullptr, g->renewal(), nullptr));
    runtime_.for_each_shard([](shard& s) { s.renewals().flush(); });
}

void renewal_sender::gather(renewal& r)
{
    auto const& lock = r.lock();
    auto& at = runtime_.shard_of(lock);
    r.send_to(at);
    at.renewals().add(lock.protocol->renewal(), lock.slot, r);
}

void renewal_sender::extend(grant& g, tenure* t, core::duration lease, extension_waiter* waiter)
{
    auto& at = runtime_.shard_of(g.lock());
    auto& r = make(g, t, lease, waiter);
    r.send_to(at);
    r.send(at.session());
}

renewal_sender::renewal& renewal_sender::make(grant& g, tenure* t, core::duration lease, extension_waiter* waiter)
{
    auto* r = new renewal(*this, g, t, lease, waiter);
    renewals_.push_back(*r);
    return *r;
}

void renewal_sender::stop()
{
    // First, because batches refer to renewals.
    runtime_.for_each_shard([](shard& s) { s.renewals().stop(); });
    renewals_.clear_and_dispose([](renewal* r) {
        r->finish(errc::client_stopped);
        delete r;
    });
}

}  // namespace holdfast::engine
