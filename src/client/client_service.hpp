//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLIENT_SERVICE_HPP
#define HOLDFAST_CLIENT_SERVICE_HPP

#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include <boost/asio/execution_context.hpp>

namespace holdfast::detail {

class client_state;

// Shuts down the clients of an execution context when it is destroyed, as Asio's services do for timers and sockets:
// pending operations are destroyed with the context. Otherwise a pending handler that owns its client, for example a
// coroutine with the client as a local variable, would keep itself alive.
class client_service final : public boost::asio::execution_context::service {
public:
    using key_type = client_service;
    static boost::asio::execution_context::id id;

    explicit client_service(boost::asio::execution_context& c) : service(c) {}

    // Thread-safe: clients are made and destroyed on any thread.
    void add(client_state&);
    void remove(client_state&) noexcept;

private:
    void shutdown() override;
    // In the child of a fork the clients end as with the context, which may go on.
    void notify_fork(boost::asio::execution_context::fork_event) override;

    std::vector<std::shared_ptr<client_state>> take_all();

    std::mutex mutex_;
    std::condition_variable removed_;
    std::unordered_set<client_state*> clients_;
};

}  // namespace holdfast::detail

#endif
