//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_RELEASE_ORDER_HPP
#define HOLDFAST_ENGINE_RELEASE_ORDER_HPP

#include <cstdint>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/error.hpp>

#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "core/pooled.hpp"
#include "engine/hold/arbiter.hpp"
#include "engine/hold/grant.hpp"
#include "engine/port/script_call.hpp"
#include "engine/release/release_history.hpp"
#include "engine/release/release_schedule.hpp"
#include "engine/release/releaser.hpp"

namespace holdfast::engine {

// One release, from its queueing until its end. It carries out the steps of its schedule. It keeps the grant, whose
// token it sends, and the arbiter that yields, which may have no contender any more when the reply comes.
class releaser::order final : public core::pooled<order>,
                              public batchable_call,
                              public core::deadline,
                              public boost::intrusive::list_base_hook<> {
public:
    // `repeats`: the history that has it as a release that was executed before; null: it was not.
    order(releaser&, boost::intrusive_ptr<grant>, release_waiter*, arbiter* yielding, release_history* repeats);

    // Sends it if the session is open.
    void begin();
    void on_open(core::instant now);
    // The lock is at another server of the cluster now.
    void on_moved();
    // The client was stopped: completes the waiter. The caller destroys the order.
    void stop();
    lock_spec const& lock() const noexcept { return grant_->lock(); }
    // Which of the overtaken releases it was, when it was overtaken last; 0: it was not.
    overtaken_count overtaken() const noexcept { return overtaken_; }

private:
    void add_to(script_words&) const override;
    void submit(session&, command&, script_form) override;
    bool is_wanted() const override { return true; }  // the text is always sent: a retired token is only ever deleted
    session* follow(answer const& ask) override;
    void on_overtaken() override { overtaken_ = ++releaser_.overtaken_; }
    void on_reply(answer const&) override;
    void on_due(core::instant now) override;

    void on_applied(answer const&);
    void on_refused(answer const&);
    release_facts facts(core::instant now) const;
    void carry_out(release_step const&, unsigned receivers = 0);
    void gather_or_send(core::instant waiter_deadline);
    void finish(error_code, unsigned receivers);
    void complete(error_code);
    detail::error_text why(error_code) const;

    engine::runtime& runtime() const { return releaser_.runtime_; }
    shard& server() const;

    releaser& releaser_;
    boost::intrusive_ptr<grant> const grant_;
    release_waiter* waiter_;  // null: there is none, or it has completed
    boost::intrusive_ptr<arbiter> const yielding_;
    release_history* const repeats_;
    release_schedule schedule_;
    overtaken_count overtaken_ = 0;
    shard_id at_{};             // to which it was sent last
    detail::error_text words_;  // of the server, when it refused the script last; null: it did not
};

}  // namespace holdfast::engine

#endif
