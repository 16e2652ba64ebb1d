//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_SENTINELS_HPP
#define HOLDFAST_SESSION_SENTINELS_HPP

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/deadline_queue.hpp"
#include "engine/runtime/topology_schedule.hpp"
#include "session/greeting.hpp"
#include "session/master_view.hpp"
#include "session/sentinel_link.hpp"

namespace holdfast::session {

// The sentinels of a session, and what they are asked for.
struct sentinel_group {
    std::string master_name;
    client_login login;  // for the sentinels
    std::vector<sentinel_place> places;
};

// Where the master of a session is. All sentinels are asked side by side, so that some of them may be down or hung, and
// each answer counts as master_view says. As long as the session is not stopped, each announcement of a failover and an
// interval ask again: a former master answers as if it were the master, until a sentinel demotes it seconds later. So do
// doubts of the session, at the pace at which a client of a cluster asks for its slots (topology_schedule).
//
// | state     | event                                     | next      | action                                  |
// |-----------|-------------------------------------------|-----------|-----------------------------------------|
// | following | find()                                    | finding   | asks each sentinel                      |
// | finding   | each has answered or failed, or a limit   | following | on_master(), or on_no_master() if all   |
// |           | has passed: `grace` after the first        |           | have failed                             |
// |           | answer, `reply_limit` without one          |           |                                         |
// | following | an answer makes another server the master | following | on_master()                             |
// | following | on_doubt()                                | following | asks each sentinel, when the schedule   |
// |           |                                           |           | says so                                 |
class sentinels final : private sentinel_link::listener, private core::deadline {
public:
    // How long the first answer waits for those of the other sentinels, which may know of a later failover.
    static constexpr core::duration grace = std::chrono::milliseconds(100);

    sentinels(sentinel_group, following_session&);

    void find();
    // The master may be replaced: it is silent, or its replicas do not acknowledge what it has executed.
    void on_doubt() { carry_out(schedule_.on(engine::topology_event::doubt)); }
    // No event follows.
    void stop() noexcept;

private:
    void on_answer(sentinel_link&, named_master) override;
    void on_failure(sentinel_link&) override;
    void on_due(core::instant) override;

    std::size_t place_of(sentinel_link const&) const;
    bool is_complete() const;
    void conclude();
    void follow();
    void carry_out(engine::topology_step);
    std::string failures() const;

    std::string const master_name_;
    client_login const login_;
    following_session& session_;
    std::deque<sentinel_link> links_;
    master_view view_;
    bool is_finding_ = false;
    bool has_answer_ = false;                 // since find()
    std::optional<master_address> followed_;  // the last that the session was told; nothing after stop()
    engine::topology_schedule schedule_;      // closed: until the end of the first find()
};

}  // namespace holdfast::session

#endif
