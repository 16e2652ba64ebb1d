//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_MEMORY_CONNECTOR_HPP
#define HOLDFAST_TESTING_MEMORY_CONNECTOR_HPP

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/port/strand.hpp"
#include "session/connector.hpp"
#include "sim/memory_server.hpp"

namespace holdfast::simulated {

// Makes connections to a server in this process.
class memory_connector final : public session::connector {
public:
    memory_connector(engine::strand s, std::string_view name, std::shared_ptr<memory_server> to)
        : strand_(std::move(s)), name_("memory://" + std::string(name)), server_(std::move(to))
    {}

    std::shared_ptr<session::connection> connect(std::weak_ptr<session::connection_events> to) override
    {
        return server_->connect(strand_, std::move(to));
    }
    std::string server_name() const override { return name_; }

private:
    engine::strand strand_;
    std::string const name_;
    std::shared_ptr<memory_server> server_;
};

}  // namespace holdfast::simulated

#endif
