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

// The commands of one connection that have no reply yet, in the order in which they were submitted. RESP has no request
// numbers: a connection keeps the order, so the next reply belongs to the oldest command. An entry that is lost or
// added would give each later reply to the wrong command.
class awaited_replies {
public:
    // The kind of command to which the next reply belongs. SUBSCRIBE has no reply, only a push; but if the server
    // refuses it, the error takes the place of the next reply. So the session sends a PING after each SUBSCRIBE and
    // UNSUBSCRIBE: its guard (rule 10). Another PING goes before sharded subscriptions, which have no reply at all.
    enum class kind : std::uint8_t { command, ping, subscribe_guard, unsubscribe_guard, slots };

    struct entry {
        engine::command* to;  // null: the command ended without a reply, or it is the session's own
        awaited_replies::kind kind;
        core::instant sent;  // set by on_flush(); `never` before
    };

    bool empty() const noexcept { return entries_.empty(); }

    void add(engine::command& c) { push({&c, kind::command, core::never}); }
    void add_guard(bool subscribes)
    {
        push({nullptr, subscribes ? kind::subscribe_guard : kind::unsubscribe_guard, core::never});
    }
    void add_ping() { push({nullptr, kind::ping, core::never}); }
    // The PING of a health check. An error is a reply to it, as it is to a command, and concerns no subscription.
    void add_health_check() { push({nullptr, kind::command, core::never}); }
    void add_slots() { push({nullptr, kind::slots, core::never}); }
    // The entries that were added since the last flush are sent now.
    void on_flush(core::instant now) noexcept;

    // When the oldest entry was sent, whether its command has ended or not; `never`: there is none, or it was not sent.
    core::instant awaited_since() const noexcept { return empty() ? core::never : entries_.front().sent; }
    // Of the oldest entry. Precondition: not empty.
    kind next() const noexcept { return entries_.front().kind; }
    // Removes and returns the oldest entry, for which a reply has arrived. Precondition: not empty.
    entry take() noexcept;

    // Ends the commands that were sent by that instant as `unknown`. Their entries stay, so that a late reply is
    // dropped and does not go to the next command. A command may submit others in on_answer().
    void expire(core::instant sent_by);
    // When the oldest command that has not ended was sent; `never`: there is none, or none was sent.
    core::instant oldest_sent() const noexcept;

    // The connection has ended: ends all commands as `unknown`, in order, and removes the entries. A command may stop
    // the session in on_answer(), which calls forget_all().
    void give_up_all(core::instant now);
    // Removes all entries without ending their commands, whose owners may have been destroyed.
    void forget_all() noexcept;

private:
    void push(entry);

    boost::circular_buffer<entry> entries_{16};
    std::size_t unsent_ = 0;  // the last entries, which were not flushed yet
};

}  // namespace holdfast::session

#endif
