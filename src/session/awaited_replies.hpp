//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_AWAITED_REPLIES_HPP
#define HOLDFAST_SESSION_AWAITED_REPLIES_HPP

#include <cstddef>
#include <cstdint>

#include <boost/circular_buffer.hpp>

#include "core/clock.hpp"
#include "engine/port/command.hpp"

namespace holdfast::session {

// The commands of one connection that have no reply yet, in the order in which they were submitted. A connection keeps
// the order, so the next reply belongs to the first of them.
class awaited_replies {
public:
    // What the next reply answers. A subscription has no reply of its own, only a push; when the server refuses it, the
    // error takes the place of the next reply. So a PING follows each subscription: its guard (rule 10).
    enum class kind : std::uint8_t { command, subscribe_guard, unsubscribe_guard };

    struct entry {
        engine::command* to;  // null: nobody waits for it any more, or it is a guard
        awaited_replies::kind kind;
        core::instant sent;  // set by on_flush()
    };

    bool empty() const noexcept { return entries_.empty(); }

    void add(engine::command& c) { push({&c, kind::command, core::never}); }
    void add_guard(bool subscribes)
    {
        push({nullptr, subscribes ? kind::subscribe_guard : kind::unsubscribe_guard, core::never});
    }
    // Those added since the last flush leave now.
    void on_flush(core::instant now) noexcept;

    // The first one. Precondition: not empty.
    entry take() noexcept;

    // Answers with `unknown` what was sent by then; its replies are dropped when they come. Those who are told may
    // submit.
    void expire(core::instant sent_by);
    // When the oldest command was sent that somebody waits for; `never`: nobody does, or none was sent.
    core::instant oldest_sent() const noexcept;

    // Answers all with `unknown`, in order. Those who are told may forget the rest.
    void give_up_all(core::instant now);
    void forget_all() noexcept;

private:
    void push(entry);

    boost::circular_buffer<entry> entries_{16};
    std::size_t unsent_ = 0;  // at the end
};

}  // namespace holdfast::session

#endif
