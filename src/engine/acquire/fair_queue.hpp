//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_FAIR_QUEUE_HPP
#define HOLDFAST_ENGINE_FAIR_QUEUE_HPP

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "engine/port/script_call.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::engine {

class fair_queues;
class runtime;
struct place_tag;

// One waiter of this client in the queue of a fair lock. Destroyed only after leave().
class place : public boost::intrusive::list_base_hook<boost::intrusive::tag<place_tag>> {
public:
    virtual std::string_view place_token() const noexcept = 0;
    // It should make an attempt now: the lock is free and it is the first, or it has lost its place. May leave the
    // queue, and let others leave.
    virtual void on_turn() = 0;

protected:
    ~place() = default;
};

// The waiters of this client in the queue of one fair lock. One script refreshes all of them, which keeps their places,
// and returns which of them should make an attempt; the waiters themselves do not poll. If there are many, several scripts
// do it, one after the other, because the server executes nothing else meanwhile. On the strand. fair_queues and each
// sought_grant have a reference.
class fair_queue final : public boost::intrusive_ref_counter<fair_queue, boost::thread_unsafe_counter>,
                         private core::deadline,
                         private script_call {
public:
    fair_queue(runtime&, fair_queues& home, std::shared_ptr<lock_spec const>);
    ~fair_queue();

    lock_spec const& lock() const noexcept { return *lock_; }

    // An acquisition is attached while it makes attempts or waits. The queue ends with the last one. If one of them had
    // to wait, the queue lingers for a second: the next acquisition then subscribes with its first attempt, which saves
    // another attempt.
    void attach() noexcept { ++attached_; }
    void detach();
    // Whether a contender that joins now probably has to wait.
    bool expects_wait() const noexcept { return attached_ > 0 || was_refused_; }

    // An attempt for that place was refused: the queue refreshes it from here on. The server removes a waiter that was
    // not refreshed for `waiter_timeout`. `remaining`: after what time the lock may become free without a message; 0: it
    // is free, and the first waiter takes it soon.
    void join(place&, core::duration waiter_timeout, core::duration remaining);
    void leave(place&);
    // Whether no other place of this client joined before.
    bool is_first(place const& p) const noexcept { return !places_.empty() && &places_.front() == &p; }

    // A new epoch: the server may have forgotten the places, and messages may have been lost.
    void on_open();

private:
    using place_list = boost::intrusive::
        list<place, boost::intrusive::base_hook<boost::intrusive::list_base_hook<boost::intrusive::tag<place_tag>>>>;

    void on_due(core::instant now) override;
    void submit(session&, command&, script_form) override;
    bool is_wanted() const override { return !places_.empty(); }
    void on_reply(answer const&) override;
    void read(reply const&);
    core::duration usual_interval() const;
    void look_after(core::duration);
    void arm();
    void go_on();

    runtime& runtime_;
    fair_queues& home_;
    std::shared_ptr<lock_spec const> const lock_;
    core::duration waiter_timeout_;  // the shortest of all waiters
    place_list places_;
    std::vector<place*> refreshed_;     // in the order of the script under way; null: it has left since
    place* from_ = nullptr;             // the first place of the script under way; null: the first of all
    place* next_ = nullptr;             // the first place of the script after that; null: there is none
    core::instant earliest_{};          // send of the next refresh
    core::instant keep_ = core::never;  // when the places are refreshed at the latest
    core::instant look_ = core::never;  // when the lock may become free, as the last reply shows
    std::size_t attached_ = 0;
    bool was_refused_ = false;
};

}  // namespace holdfast::engine

#endif
