//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/hold/renewal_sender.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <holdfast/error.hpp>

#include "core/pooled.hpp"
#include "engine/hold/tenure.hpp"
#include "engine/hold/watchdog.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/protocol/renewal_by_key.hpp"
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

// One renewal of one grant, from its creation until its reply, and the acknowledgement of that. An extension is a
// renewal with a waiter. It keeps the grant and the tenure: both may end before the reply comes.
//
// | state    | event                                              | next     | action                                 |
// |----------|----------------------------------------------------|----------|----------------------------------------|
// | together | TRYAGAIN, there are scripts for single keys        | by key 1 | sends the first of them                |
// | together | any other reply                                    | done     | reports it                             |
// | by key n | renewed, another script follows                    | n + 1    | sends it                               |
// | by key n | renewed, the last one                              | done     | reports it, sent when the first one was |
// | by key n | any other reply                                    | done     | reports it                             |
//
// A script is sent only if the grant is still held and the session is open; otherwise the reply before it is reported,
// as refused.
class renewal_sender::renewal final : public core::pooled<renewal>,
                                      public batchable_call,
                                      public acknowledgement_waiter,
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

    void finish(described_error);
    lock_spec const& lock() const noexcept { return grant_->lock(); }
    void send_to(shard const& at) noexcept { at_ = at.id(); }

private:
    void add_to(script_words&) const override;
    void add_arguments(std::string_view holder, script_words&) const;
    void submit(session&, command&, script_form) override;
    // Checked again before the text is sent, which would otherwise renew a grant that was released since (rule 7).
    bool is_wanted() const override { return is_alive(*grant_, sender_.runtime_.now()); }
    // A renewal touches nothing but its KEYS, of each kind of lock.
    session* follow(answer const& ask) override { return sender_.runtime_.asked_session(ask); }
    void on_reply(answer const&) override;
    void on_acknowledged(acknowledgement const&) override;

    bool must_be_acknowledged(answer const&) const;
    void end(described_error);
    // Whether the grant, or the tenure that was to be extended, is still held: the reply may come after its release.
    one_key_renewals by_key() const { return renewals_by_key(lock(), grant_->own_key(), grant_->token()); }
    bool sends_next(answer const&);
    bool is_current() const { return !grant_->is_retired() && (tenure_ ? tenure_->is_holding() : grant_->is_held()); }
    described_error classify(answer const&);
    described_error classify_refusal(answer const&);
    // A renewal by key does not learn whether a writer waits.
    bool is_closed(answer const& a) const noexcept { return a.value.integer == kept_closed || keys_sent_ > 0; }
    described_error classify(acknowledgement const&);

    renewal_sender& sender_;
    boost::intrusive_ptr<grant> grant_;
    boost::intrusive_ptr<tenure> tenure_;
    core::duration lease_;
    milliseconds_text lease_text_;
    extension_waiter* waiter_;
    shard_id at_{};              // to which it was sent
    std::size_t keys_sent_ = 0;  // 0: together
    std::optional<core::instant> first_sent_;
    answer kept_;  // its reply, which awaits the acknowledgement
};

void renewal_sender::renewal::add_to(script_words& to) const
{
    assert(is_wanted());
    lock().protocol->add_batch_keys(lock(), grant_->own_key(), to.keys);
    add_arguments(grant_->token(), to);
    if (auto const& who = lock().candidacy) {
        auto const record = who->record_in(std::to_string(grant_->fence));
        to.arguments.insert(to.arguments.end(), record.begin(), record.end());
    }
}

void renewal_sender::renewal::add_arguments(std::string_view holder, script_words& to) const
{
    to.arguments.push_back(holder);
    if (!lock().weight.empty())
        to.arguments.push_back(lock().weight);
    to.arguments.push_back(lease_text_);
}

void renewal_sender::renewal::submit(session& to, command& c, script_form form)
{
    script_words words;
    if (keys_sent_ == 0) {
        add_to(words);
        return submit_script(to, c, lock().protocol->renewal(), form, words.keys, words.arguments);
    }
    auto const scripts = by_key();
    auto const& one = scripts[keys_sent_ - 1];
    words.keys.assign(one.times, one.key);
    add_arguments(one.holder, words);
    submit_script(to, c, *one.with, form, words.keys, words.arguments);
}

void renewal_sender::renewal::on_reply(answer const& given)
{
    auto a = sender_.runtime_.counted(given, at_, lock());
    grant_->on_answered(sender_.runtime_.now(), a.outcome != outcome::unknown);
    if (sends_next(a))
        return;
    a.sent = first_sent_.value_or(a.sent);
    if (!must_be_acknowledged(a))
        return end(classify(a));
    kept_ = {.outcome = outcome::applied, .sent = a.sent, .value = {.type = a.value.type, .integer = a.value.integer}};
    if (!sender_.runtime_.await_acknowledgement(*this, at_, lock(), lease_, a.sent))
        on_acknowledged({.what = acknowledgement::kind::missing, .words = "the server is not known"});
}

// A key that is missing is a loss at once: there is nothing that replicas could have.
bool renewal_sender::renewal::must_be_acknowledged(answer const& a) const
{
    return sender_.runtime_.needs_acknowledgement() && a.outcome == outcome::applied && a.value.integer != key_missing
           && is_current();
}

void renewal_sender::renewal::on_acknowledged(acknowledgement const& a)
{
    end(classify(a));
}

void renewal_sender::renewal::end(described_error ec)
{
    sender_.renewals_.erase(sender_.renewals_.iterator_to(*this));
    std::unique_ptr<renewal> const self(this);
    finish(std::move(ec));
}

described_error renewal_sender::renewal::classify(acknowledgement const& a)
{
    switch (a.what) {
        case acknowledgement::kind::given: sender_.runtime_.telemetry().on_acknowledged(); return classify(kept_);
        case acknowledgement::kind::unknown: return classify(answer{.outcome = outcome::unknown, .sent = kept_.sent});
        case acknowledgement::kind::missing:
        case acknowledgement::kind::denied: break;
    }
    if (!is_current())
        return errc::lease_lost;
    // As a refusal: an extension alone does not put the lease at risk.
    auto const ec = sender_.runtime_.telemetry().on_unacknowledged(lock(), a);
    if (!waiter_)
        sender_.watchdog_.on_unacknowledged(*grant_);
    return ec;
}

// Whether the renewal goes on with a script for a single key. All of them count from the first one. A time to live of
// zero leaves the key as it is, which does not suffice for the lock of a read: another library may have shortened it.
bool renewal_sender::renewal::sends_next(answer const& a)
{
    bool const begins = keys_sent_ == 0 && a.why == refusal::try_again;
    bool const goes_on = keys_sent_ > 0 && a.outcome == outcome::applied && a.value.integer != key_missing;
    auto& to = sender_.runtime_.shard_of(lock());
    if (!(begins || goes_on) || keys_sent_ == by_key().size() || !is_wanted() || !is_current() || !to.is_open())
        return false;
    if (goes_on && !first_sent_)
        first_sent_ = a.sent;
    auto const lease = std::max(lease_, grant_->valid_until() - sender_.runtime_.now());
    lease_text_ = milliseconds_text(lease);
    ++keys_sent_;
    grant_->on_sent(lease);
    send_to(to);
    send(to.session());
    return true;
}

described_error renewal_sender::renewal::classify(answer const& a)
{
    if (!is_current() || a.why == refusal::no_script)
        return errc::lease_lost;
    if (a.outcome == outcome::refused)
        return classify_refusal(a);
    if (a.outcome == outcome::unknown) {
        sender_.watchdog_.on_unanswered(*grant_);
        return errc::unavailable;
    }
    if (a.value.integer == key_missing)
        sender_.watchdog_.on_key_missing(*grant_);
    else if (sender_.watchdog_.on_kept(*grant_, tenure_.get(), a, lease_, is_closed(a)))
        return {};
    return errc::lease_lost;
}

// A refused extension does not put the lease at risk: the renewals decide that.
described_error renewal_sender::renewal::classify_refusal(answer const& a)
{
    // The watchdog renews the grant at its new server without waiting for this refusal.
    if (a.why == refusal::redirected && !sender_.runtime_.is_at(at_, lock()))
        return errc::unavailable;
    auto const ec = classify_failure(a).error;
    if (!waiter_)
        sender_.watchdog_.on_refused(*grant_, a);
    return {ec ? ec : errc::unavailable, waiter_ ? detail::make_error_text(a.words) : nullptr};
}

void renewal_sender::renewal::finish(described_error ec)
{
    if (auto* w = std::exchange(waiter_, nullptr))
        w->extended(std::move(ec));
}

renewal_sender::renewal_sender(runtime& r, watchdog& w) : runtime_(r), watchdog_(w) {}

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
