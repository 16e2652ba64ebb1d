//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_SENTINEL_LINK_HPP
#define HOLDFAST_SESSION_SENTINEL_LINK_HPP

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "core/deadline_queue.hpp"
#include "core/second_look.hpp"
#include "session/connection.hpp"
#include "session/connector.hpp"
#include "session/greeting.hpp"
#include "session/master_view.hpp"
#include "session/reconnect_pause.hpp"

namespace holdfast::session {

// What the links to sentinels need from their session.
class following_session {
public:
    // The sentinels name the master, in reply to sentinels::find(); or they name another one than they did then.
    virtual void on_master(master_address const&) = 0;
    // No sentinel has named it within the limit of find(), or there are no credentials for them. `why` is valid during
    // the call.
    virtual void on_no_master(std::string_view why, end_cause) = 0;

    // An owner of the session, and so of its links.
    virtual std::shared_ptr<void> keep() = 0;
    virtual core::instant now() const noexcept = 0;
    virtual std::uint64_t random() noexcept = 0;
    virtual void arm(core::deadline&, core::instant) = 0;
    virtual void disarm(core::deadline&) noexcept = 0;

protected:
    ~following_session() = default;
};

// One sentinel.
struct sentinel_place {
    std::string name;  // in log lines: its host and port
    std::unique_ptr<connector> to;
};

// The connection to one sentinel: asks it for the master, at an interval and when it announces a failover. It is kept
// open for the announcements; a sentinel that does not answer is connected to anew. On the strand.
//
// | state    | event                                  | next     | action                                              |
// |----------|----------------------------------------|----------|-----------------------------------------------------|
// | closed   | ask(), ask_anew(), the interval has    | asked    | connects; sends the greeting, the question and the  |
// |          | passed                                 |          | subscription                                        |
// | asked    | the reply to the question              | answered | on_answer(), or on_failure() if it has no such      |
// |          |                                        |          | master                                              |
// | asked    | `reply_limit` has passed, an error, the | closed   | on_failure()                                        |
// |          | end of the connection                  |          |                                                     |
// | asked    | ask()                                  | asked    |                                                     |
// | asked    | ask_anew(), an announcement            | asked    | asks again after the reply                          |
// | answered | ask(), ask_anew(), an announcement,    | asked    | sends the question                                  |
// |          | the interval has passed                |          |                                                     |
// | answered | the end of the connection              | closed   | on_failure()                                        |
// | any      | stop()                                 | closed   | no event follows                                    |
class sentinel_link final : private connection_events, private core::deadline {
public:
    enum class state : std::uint8_t { closed, asked, answered };

    // Longer than any reply in a working network, and short beside each lease time.
    static constexpr core::duration reply_limit = std::chrono::milliseconds(500);
    // Announcements are faster; this is for those that were lost.
    static constexpr core::duration interval = std::chrono::seconds(1);

    class listener {
    public:
        virtual void on_answer(sentinel_link&, named_master) = 0;
        virtual void on_failure(sentinel_link&) = 0;
        // The sentinel has accepted the credentials of a new connection.
        virtual void on_greeted() = 0;
        // Whether there are credentials for a new connection. A link asks again after the interval.
        virtual bool may_connect() = 0;

    protected:
        ~listener() = default;
    };

    sentinel_link(sentinel_place, client_login const&, std::string const& master_name, following_session&, listener&);

    void ask();
    // What was asked before does not count: asks anew, after the answer to a question that is under way.
    void ask_anew();
    // The login is a new one: authenticates the living connection anew. A sentinel that refuses it is connected to
    // anew.
    void authenticate();
    void stop() noexcept;

    state current_state() const noexcept { return state_; }
    std::string const& name() const noexcept { return place_.name; }
    // Why the last question failed; empty: it did not.
    std::string const& failure() const noexcept { return failure_; }

private:
    enum class awaited : std::uint8_t { hello, auth, epoch, address, guard };

    void on_reply(engine::reply const&) override;
    void on_error(std::string_view words) override;
    void on_message(std::string_view channel) override;
    void on_subscribed(std::string_view) override {}
    void on_unsubscribed(std::string_view) override {}
    void on_ended(ending const&) override;
    void on_due(core::instant) override;

    void connect();
    void send_question();
    void subscribe();
    void on_address(engine::reply const&);
    void fail(std::string_view why);

    sentinel_place const place_;
    client_login const& login_;
    std::string const& master_name_;
    following_session& session_;
    listener& listener_;

    state state_ = state::closed;
    std::shared_ptr<connection> connection_;  // null while closed
    std::deque<awaited> awaited_;             // the replies that have not arrived
    std::int64_t epoch_ = 0;                  // of the question
    core::second_look look_;
    bool may_subscribe_ = true;  // its access rules do not forbid it
    bool asks_again_ = false;    // there was an announcement or a doubt since the question
    std::string failure_;
};

}  // namespace holdfast::session

#endif
