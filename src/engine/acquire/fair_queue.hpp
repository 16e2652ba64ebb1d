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

// One waiter of this client in the queue of a fair lock.
class place : public boost::intrusive::list_base_hook<boost::intrusive::tag<place_tag>> {
public:
    virtual std::string_view place_token() const noexcept = 0;
    // It should ask for the lock now: it is the first, or has no place any more.
    virtual void on_turn() = 0;

protected:
    ~place() = default;
};

// What this client has to do with the queue of one fair lock. One script gives a sign of life for all of its waiters,
// and says which of them should ask again; they do not do so by themselves.
class fair_queue final : public boost::intrusive_ref_counter<fair_queue, boost::thread_unsafe_counter>,
                         private core::deadline,
                         private script_call {
public:
    fair_queue(runtime&, fair_queues& home, std::shared_ptr<lock_spec const>);
    ~fair_queue();

    lock_spec const& lock() const noexcept { return *lock_; }

    // Whoever asks for the lock, waits for it or holds it. The queue ends with the last one, or lingers for a while
    // when somebody had to wait.
    void attach() noexcept { ++attached_; }
    void detach();
    // Whether who comes now has to expect somebody before it.
    bool expects_wait() const noexcept { return attached_ > 0 || was_refused_; }

    // Its try was refused; it may be silent for `waiter_timeout`. Something may change without a message after
    // `remaining`.
    void join(place&, core::duration waiter_timeout, core::duration remaining);
    void leave(place&);

    void on_open();

private:
    using place_list = boost::intrusive::
        list<place, boost::intrusive::base_hook<boost::intrusive::list_base_hook<boost::intrusive::tag<place_tag>>>>;

    void on_due(core::instant now) override;
    void submit(session&, command&, script_form) override;
    bool is_wanted() const override { return !places_.empty(); }
    void on_reply(answer const&) override;
    void read(reply const&);
    void refresh_within(core::duration);

    runtime& runtime_;
    fair_queues& home_;
    std::shared_ptr<lock_spec const> const lock_;
    core::duration waiter_timeout_;  // the shortest of its waiters'
    place_list places_;
    std::vector<place*> asked_;  // by the refresh under way; null: left meanwhile
    core::instant earliest_{};   // of the next refresh
    std::size_t attached_ = 0;
    bool was_refused_ = false;
};

}  // namespace holdfast::engine

#endif
