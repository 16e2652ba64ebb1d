//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_ACKNOWLEDGER_HPP
#define HOLDFAST_ENGINE_ACKNOWLEDGER_HPP

#include <memory>
#include <string>
#include <string_view>

#include <boost/intrusive/list.hpp>

#include "core/clock.hpp"
#include "core/cluster_map.hpp"
#include "core/deadline_queue.hpp"
#include "engine/port/command.hpp"
#include "engine/port/session.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "engine/runtime/acknowledgement.hpp"
#include "engine/runtime/acknowledgement_schedule.hpp"

namespace holdfast::engine {

class runtime;

// Asks the replicas of one server whether they have what the session to that server wrote: config::acknowledged_by. It
// has a connection of its own to the server, its link, on which it sends
//
//     SET holdfast_ack:{name} "" PX 1
//     WAIT replicas timeout
//
// The writes of a server are one line, so a replica that acknowledges this SET has everything that the server executed
// before it, and with it each command whose reply had come before the SET was sent. WAIT counts the last write of its
// own connection only: without the SET it would reply at once, and prove nothing.
//
// That holds for one server and one time: the answer of another server proves nothing, nor does that of the same one
// after it was a replica. Therefore an acknowledgement counts only if
// - the link and the session are connected to the same run of the same server;
// - since the command, neither the link nor the epoch of the session has ended;
// - the lock has been at this server since;
// - it comes within longest_unacknowledged after the command was sent.
//
// If the two are connected to different servers, the older connection is closed: the address leads to another server by
// now. acknowledgement_schedule.hpp says when a question is sent. On the strand.
class acknowledger final : public acknowledging, private session_events, private core::deadline {
public:
    // The session must outlive this object. The link is not started yet.
    acknowledger(runtime&, session&, std::shared_ptr<session> link);
    acknowledger(acknowledger const&) = delete;
    acknowledger& operator=(acknowledger const&) = delete;
    ~acknowledger() override;

    void start() override { link_->start(*this); }
    void stop() noexcept override;
    void await(acknowledgement_waiter&, lock_spec const&, core::duration lease, core::instant sent) override;
    void on_session_open() override;
    void on_session_closed() override;
    void on_moved(core::slot_set const&) override;

private:
    using waiters = boost::intrusive::list<
        acknowledgement_waiter,
        boost::intrusive::base_hook<boost::intrusive::list_base_hook<
            boost::intrusive::tag<acknowledgement_waiter>,
            boost::intrusive::link_mode<boost::intrusive::auto_unlink>>>,
        boost::intrusive::constant_time_size<false>>;

    void on_open() override;
    void on_closed(closing const&) override;
    void on_message(std::string_view) override {}
    void on_turn_end() override;
    void on_due(core::instant) override;

    void advance(acknowledgement_event);
    void gather();
    void ask();
    void on_written(answer const&);
    void on_counted(answer const&);
    acknowledgement judge(answer const&);
    acknowledgement refused(answer const&);
    void doubt(acknowledgement const&);
    void fail_all(std::string_view words);
    void finish_all(waiters&, acknowledgement const&);
    bool is_at_same_server() const;
    void leave_older();

    runtime& runtime_;
    session& session_;
    std::shared_ptr<session> const link_;
    acknowledgement_state state_ = acknowledgement_state::closed;
    waiters waiting_;  // for the next question
    waiters asked_;    // for the question under way
    command_of<acknowledger, &acknowledger::on_written> write_{*this};
    command_of<acknowledger, &acknowledger::on_counted> count_{*this};
    acknowledgement written_;  // the outcome of the write of the question under way; given: it was applied
    std::string words_;        // of the last failure
    core::instant link_opened_{};
    core::instant session_opened_{};
};

}  // namespace holdfast::engine

#endif
