//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_SENTINELS_HPP
#define HOLDFAST_SESSION_SENTINELS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/deadline_queue.hpp"
#include "engine/port/log.hpp"
#include "engine/port/strand.hpp"
#include "engine/runtime/topology_schedule.hpp"
#include "session/authentication.hpp"
#include "session/greeting.hpp"
#include "session/master_view.hpp"
#include "session/sentinel_link.hpp"

namespace holdfast::session {

// The sentinels of a session, and what they are asked for.
struct sentinel_group {
    std::string master_name;
    client_login login;  // for the sentinels
    std::vector<sentinel_place> places;
    credentials_provider provider = {};  // empty: the credentials of the login
};

// Where the master of a session is. All sentinels are asked side by side, so that some of them may be down or hung, and
// each answer counts as master_view says. As long as the session is not stopped, each announcement of a failover and an
// interval ask again: a former master answers as if it were the master, until a sentinel demotes it seconds later. So do
// doubts of the session, at the pace at which a client of a cluster asks for its slots (topology_schedule).
//
// With a provider, its credentials are for all sentinels: it is asked before the first connection, before they end, and
// when a sentinel has refused them. `authentication` takes the sentinels together for one session.
//
// | state     | event                                     | next      | action                                  |
// |-----------|-------------------------------------------|-----------|-----------------------------------------|
// | following | find()                                    | finding   | asks each sentinel; before, if need be, |
// |           |                                           |           | the provider                            |
// | finding   | there are no credentials                  | following | on_no_master()                          |
// | finding   | each has answered or failed, or a limit   | following | on_master(), or on_no_master() if all   |
// |           | has passed: `grace` after the first        |           | have failed                             |
// |           | answer, `reply_limit` without one          |           |                                         |
// | following | an answer makes another server the master | following | on_master()                             |
// | following | on_doubt()                                | following | asks each sentinel, when the schedule   |
// |           |                                           |           | says so                                 |
class sentinels final : private sentinel_link::listener, private authenticating_session, private core::deadline {
public:
    // How long the first answer waits for those of the other sentinels, which may know of a later failover.
    static constexpr core::duration grace = std::chrono::milliseconds(100);

    sentinels(engine::strand const&, sentinel_group, engine::log const&, following_session&);

    void find();
    // The master may be replaced: it is silent, or its replicas do not acknowledge what it has executed.
    void on_doubt() { carry_out(schedule_.on(engine::topology_event::doubt)); }
    // No event follows.
    void stop() noexcept;

private:
    void on_answer(sentinel_link&, named_master) override;
    void on_failure(sentinel_link&) override;
    void on_greeted() override;
    bool may_connect() override;
    void on_due(core::instant) override;

    void greet_as(holdfast::credentials const&) override;
    void go_without(std::string_view why) override;
    void send_auth(engine::command&, std::span<std::string_view const> words) override;
    std::shared_ptr<void> keep() override { return session_.keep(); }
    core::instant now() const noexcept override { return session_.now(); }
    std::uint64_t random() noexcept override { return session_.random(); }
    void arm(core::deadline& d, core::instant when) override { session_.arm(d, when); }
    void disarm(core::deadline& d) noexcept override { session_.disarm(d); }

    void ask_all();
    bool has_open_link() const;
    void note_refusal();
    end_cause cause() const noexcept;
    std::size_t place_of(sentinel_link const&) const;
    bool is_complete() const;
    void conclude();
    void follow();
    void carry_out(engine::topology_step);
    std::string failures() const;

    std::string const master_name_;
    client_login login_;
    bool has_login_;  // false: with a provider, which has not yielded one since the last was refused
    following_session& session_;
    std::unique_ptr<authentication> authentication_;  // null: without a provider
    std::deque<sentinel_link> links_;
    master_view view_;
    bool is_finding_ = false;
    bool awaits_login_ = false;               // to begin with find()
    bool has_answer_ = false;                 // since find()
    std::optional<master_address> followed_;  // the last that the session was told; nothing after stop()
    engine::topology_schedule schedule_;      // closed: until the end of the first find()
};

}  // namespace holdfast::session

#endif
