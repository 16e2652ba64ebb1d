//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_WATCHDOG_HPP
#define HOLDFAST_ENGINE_WATCHDOG_HPP

#include <memory>
#include <vector>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "core/clock.hpp"
#include "engine/hold/grant.hpp"
#include "engine/hold/renewal_sender.hpp"

namespace holdfast::engine {

class runtime;

// The watchdog: asks for a longer time to live in good time, in batches, and tells a loss no later than validity ends.
// A grant is watched exactly while a tenure holds it, so no renewal outlives a release. Leases belong to tenures,
// renewal to grants: a grant is renewed while anybody wants it so, and each tenure is lost at its own end.
class watchdog final : private renewal_events {
public:
    explicit watchdog(runtime&);
    watchdog(watchdog const&) = delete;
    watchdog& operator=(watchdog const&) = delete;
    ~watchdog();

    void watch(grant&);
    // One more tenure holds it.
    void attend(grant&, tenure const&);
    void unwatch(grant&);
    // Its renewal is due, or the end of one of its tenures.
    void on_due(grant&, core::instant now);

    // Renews one grant now, for at least `lease`, and with it that tenure, if any, renewed or not. `waiter` may be
    // null.
    void extend(grant&, tenure*, core::duration lease, extension_waiter* waiter);

    // Sends what became due in this turn.
    void flush();

    void on_open();
    void on_closed();
    void stop();

private:
    bool on_kept(grant&, tenure* extended, answer const&, core::duration lease, bool is_closed) override;
    void on_key_missing(grant&) override;
    void on_refused(grant&, answer const&) override;
    void on_unanswered(grant&) override;

    template <class Condition>
    void lose_where(grant&, Condition);
    void lose_all(grant&, loss);
    core::instant next_ask(grant const&) const;
    void arm(grant&);
    void ask(grant&, core::instant now);
    void put_at_risk(grant&);
    void note_refusal(grant&, answer const&);
    void note_success(grant&);

    runtime& runtime_;
    renewal_sender sender_;
    boost::intrusive::list<grant, boost::intrusive::base_hook<boost::intrusive::list_base_hook<>>> watched_;
    std::vector<boost::intrusive_ptr<grant>> due_;
    refusal last_refusal_ = refusal::none;  // of renewals, for a reason of the server's; none since one was kept
};

}  // namespace holdfast::engine

#endif
