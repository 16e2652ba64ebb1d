//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_MEMORY_SERVER_HPP
#define HOLDFAST_TESTING_MEMORY_SERVER_HPP

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/port/strand.hpp"
#include "session/connection.hpp"
#include "sim/adjustable_clock.hpp"
#include "sim/redis_model.hpp"

namespace holdfast::simulated {

// The server of memory:// URLs: a model of Redis in real time, without a network, which clients on several threads
// share. Thread-safe: one mutex is locked for one command or one write, never while events of a session run. Its
// connections share ownership of it, so a testing::server may be destroyed before its clients.
class memory_server : public std::enable_shared_from_this<memory_server> {
public:
    memory_server();

    // Its events come on that strand.
    std::shared_ptr<session::connection> connect(engine::strand const&, std::weak_ptr<session::connection_events>);

    // As a process that is stopped by SIGSTOP: between the two calls the server accepts commands, and executes them in
    // resume().
    void pause();
    void resume();
    void disconnect_all();

    // The clock of this server and of its clients.
    std::shared_ptr<adjustable_clock> const& clock() const noexcept { return clock_; }
    // As a long way: what the server sends from now on arrives after this time.
    void delay(core::duration);
    // The next command that may change a lock is executed, and its connection is closed in place of the reply.
    void lose_reply();
    // The state of the whole server; and an error with which it refuses each command that names keys. Empty: none.
    void refuse(condition, std::string_view error);
    void restart(bool data_lost);

    // Executes a command that no client has sent, also while the server is paused: for testing::server.
    value execute(words);

private:
    class memory_connection;

    std::int64_t clock_us() const;

    std::mutex mutex_;  // protects the model and what its connections share with it
    redis_model model_;
    std::shared_ptr<adjustable_clock> const clock_ = std::make_shared<adjustable_clock>();
    std::int64_t const clock_offset_us_;  // wall clock - boot clock: the server's clock never steps
    core::duration delay_{};
    unsigned replies_to_lose_ = 0;
    std::string refusal_;
    bool paused_ = false;
    std::vector<std::shared_ptr<memory_connection>> waiting_;  // with commands for resume(), in the order of arrival
};

}  // namespace holdfast::simulated

#endif
