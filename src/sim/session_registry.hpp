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

#include "engine/port/log.hpp"
#include "engine/port/session.hpp"
#include "engine/port/strand.hpp"

namespace holdfast::simulated {

class memory_server;

// What memory:// URLs mean in one execution context. Thread-safe.
class session_registry final : public boost::asio::execution_context::service {
public:
    using factory = std::function<std::shared_ptr<engine::session>(
        engine::strand, config const&, engine::log, std::string_view name)>;

    static boost::asio::execution_context::id id;

    explicit session_registry(boost::asio::execution_context& c) : service(c) {}

    // The server of that name, which lives as long as the context. An empty name: a new one for each call.
    std::shared_ptr<memory_server> find_or_make(std::string_view name);

    // A server under a name that nobody has.
    std::string add(std::shared_ptr<memory_server>);
    void remove(std::string_view name);

    // Sessions of this context come from that function instead: how virtual time gets under a client.
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
