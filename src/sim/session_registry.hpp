//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_SESSION_REGISTRY_HPP
#define HOLDFAST_TESTING_SESSION_REGISTRY_HPP

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <boost/asio/execution_context.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <holdfast/config.hpp>

#include "engine/port/client_io.hpp"
#include "engine/port/log.hpp"
#include "engine/port/strand.hpp"

namespace holdfast::simulated {

class memory_server;

// The servers of memory:// URLs in one execution context. A service, so that a URL is enough to find them, without a
// global variable, and that they end with the context. Thread-safe: clients are made on any thread.
class session_registry final : public boost::asio::execution_context::service {
public:
    using factory = std::function<engine::client_io(engine::strand, config const&, engine::log, std::string_view name)>;

    static boost::asio::execution_context::id id;

    explicit session_registry(boost::asio::execution_context& c) : service(c) {}

    // The server with that name, which exists until the context ends. With an empty name, a new one for each call.
    std::shared_ptr<memory_server> find_or_make(std::string_view name);

    // Adds a server under a new name, and returns the name. After remove() the name means a new, empty server.
    std::string add(std::shared_ptr<memory_server>);
    void remove(std::string_view name);

    // Makes the worlds and sessions of all later clients of this context by that function: so the simulator runs
    // clients in virtual time.
    void replace(factory f);
    factory replacement() const;

private:
    void shutdown() noexcept override;

    mutable std::mutex mutex_;
    boost::unordered_flat_map<std::string, std::shared_ptr<memory_server>> servers_;
    factory factory_;
    unsigned last_ = 0;
};

}  // namespace holdfast::simulated

#endif
