//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_MEMORY_SERVER_HPP
#define HOLDFAST_TESTING_MEMORY_SERVER_HPP

#include <memory>
#include <mutex>
#include <vector>

#include "engine/port/strand.hpp"
#include "session/connection.hpp"
#include "sim/redis_model.hpp"

namespace holdfast::simulated {

// The server behind memory:// URLs: a model that clients on any thread share, in real time, without a network.
// Thread-safe: one mutex, held for one command or one write, never while somebody else's code runs.
class memory_server : public std::enable_shared_from_this<memory_server> {
public:
    memory_server();

    std::shared_ptr<session::connection> connect(engine::strand const&, std::weak_ptr<session::connection_events>);

    // Commands are taken, and executed after resume(); as a stopped process, not as one that refuses.
    void pause();
    void resume();
    void disconnect_all();

    // Executes a command of nobody's: what tests do behind the clients' backs.
    value execute(words);

private:
    class memory_connection;

    std::int64_t clock_us() const;

    std::mutex mutex_;
    redis_model model_;
    std::int64_t const clock_offset_us_;  // wall clock - boot clock: the server's clock never steps
    bool paused_ = false;
    std::vector<std::shared_ptr<memory_connection>> waiting_;  // for resume(), in the order of arrival
};

}  // namespace holdfast::simulated

#endif
