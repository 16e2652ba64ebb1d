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
#include "core/cluster_map.hpp"
#include "core/deadline_queue.hpp"
#include "engine/hold/grant.hpp"
#include "engine/hold/grant_watcher.hpp"
#include "engine/hold/renewal_schedule.hpp"
#include "engine/hold/renewal_sender.hpp"

namespace holdfast::engine {

class runtime;
class shard;

// Renews the grants of one client in time, in batches, and reports each loss before the validity ends (rule 16). It
// watches a grant exactly while a tenure holds it, so no renewal follows a release (rule 17). Tenures have leases,
// grants have renewals: a grant is renewed while one of its holds requires it, and each tenure is lost at its own end.
// The grant's schedule decides when it is renewed; the watchdog does what the schedule says. On the strand.
class watchdog final : private grant_watcher {
public:
    explicit watchdog(runtime&);
    watchdog(watchdog const&) = delete;
    watchdog& operator=(watchdog const&) = delete;
    ~watchdog();

    // The first tenure holds the grant: watches it from here on. Precondition: the grant is not retired.
    void watch(grant&);
    // Another tenure holds the grant.
    void attend(grant&, tenure const&);
    // The last tenure has ended. No effect if the grant is not watched.
    void unwatch(grant&);

    // Renews one grant now for at least `lease`. `tenure`, which may be null, is the hold that is extended, even if it
    // is not renewed. `waiter` receives the outcome, perhaps within the call; it may be null.
    void extend(grant&, tenure*, core::duration lease, extension_waiter* waiter);

    // Sends the renewals that became due in this iteration of the event loop, as batches; of thousands a part, and the
    // others in the next turns.
    void flush();

    // A new epoch: renews all grants of that server. The end of an epoch: forgets renewals that were not sent. The end
    // of the client: completes the extensions with client_stopped, and watches nothing any more.
    void on_open(shard&);
    void on_closed(shard&);
    // These slots have another primary: renews their grants there at once, because their keys may be gone.
    void on_moved(core::slot_set const&);
    void stop();

    // The outcome of a renewal. The grant identifies it, not the name of the lock: another grant of the same lock may
    // have begun meanwhile.
    //
    // The server keeps the key for at least `lease` from the send. False: the reply came too late for `extended`, or
    // for all holders.
    bool on_kept(grant&, tenure* extended, answer const&, core::duration lease, bool is_closed);
    // The key is missing, or belongs to another token.
    void on_key_missing(grant&);
    // The server replied with an error: nothing changed.
    void on_refused(grant&, answer const&);
    // The outcome is unknown.
    void on_unanswered(grant&);
    // The server keeps the key, but too few replicas know of it.
    void on_unacknowledged(grant&);

private:
    // An alarm, after which flush() is called.
    struct alarm final : core::deadline {
        void on_due(core::instant) override {}
    };

    void on_due(grant&, core::instant now) override;

    template <class Condition>
    void lose_where(grant&, Condition);
    void lose_all(grant&, loss);
    void advance(grant&, renewal_event);
    void set_risk(grant&, bool is_at_risk);
    void renew(grant&, bool is_late);
    void renew_again(grant&);
    void arm(grant&);
    void note_refusal(grant&, answer const&);
    void note_success(grant&);
    void report_renewal(grant&, core::duration lag);

    runtime& runtime_;
    renewal_sender sender_;
    boost::intrusive::list<grant, boost::intrusive::base_hook<boost::intrusive::list_base_hook<>>> watched_;
    std::vector<boost::intrusive_ptr<grant>> due_;  // renewals to be sent by flush()
    alarm rest_due_;
    refusal last_refusal_ = refusal::none;  // of any renewal, by the state of the server; none since one succeeded
};

}  // namespace holdfast::engine

#endif
