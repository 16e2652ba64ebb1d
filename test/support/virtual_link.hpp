//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_VIRTUAL_LINK_HPP
#define HOLDFAST_TEST_SUPPORT_VIRTUAL_LINK_HPP

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "engine/port/strand.hpp"
#include "session/connection.hpp"
#include "support/process.hpp"
#include "support/simulated_server.hpp"

namespace holdfast::test {

// One TCP connection of a simulated process: in order in each direction, each message with its own delay, and with the
// faults of the server's plan. It lives on without its client until everything that was sent has arrived.
class virtual_link final : public session::connection,
                           simulated::peer,
                           public std::enable_shared_from_this<virtual_link> {
public:
    virtual_link(
        process&, simulated_server&, engine::strand, std::weak_ptr<session::connection_events>, unsigned number);

    void connect();

    void send(simulated::words) override;
    void flush() override;
    void close() noexcept override;

private:
    struct message {
        core::instant arrival;
        std::string bytes;
        std::vector<std::size_t> ends;
    };

    struct incoming {
        enum class kind : std::uint8_t { connected, reply, push, end };
        incoming::kind kind;
        core::instant arrival = {};
        simulated::value body = {};
        boost::system::error_code why = {};
    };

    void on_push(simulated::value const&) override;
    void on_kill() override;
    void on_unblocked(simulated::value const&) override;

    void accept();
    void draw_faults(core::instant& arrival);
    void depart(message);
    void arrive();
    void execute(message const&);
    void hang_up();

    void reply_with(incoming);
    void bring();
    void read();
    void deliver(incoming const&);

    void go_silent();
    void break_off(boost::system::error_code);
    void note(std::string_view what, simulated::words) const;
    core::duration delay();
    virtual_world& world() const noexcept { return process_.world(); }

    process& process_;
    simulated_server& server_;
    engine::strand strand_;
    std::weak_ptr<session::connection_events> const events_;
    std::string const name_;
    simulated::connection_id id_ = 0;
    std::shared_ptr<virtual_link> at_server_;  // itself, as long as the server knows the connection

    bool open_ = true;        // the client listens
    bool up_broken_ = false;  // no more data reaches the server
    bool down_broken_ = false;
    bool silent_ = false;
    bool is_connected_ = false;

    std::vector<message> leaving_;
    std::deque<message> upstream_;
    core::instant last_up_ = {};
    std::deque<incoming> downstream_;
    core::instant last_down_ = {};
    std::vector<incoming> inbox_;
};

}  // namespace holdfast::test

#endif
