//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DEMO_PRIVATE_REDIS_HPP
#define HOLDFAST_DEMO_PRIVATE_REDIS_HPP

#include <filesystem>
#include <memory>
#include <string>

#include "program.hpp"

namespace demo {

// A private redis-server without persistence, on a UNIX socket in a temporary folder. The destructor ends the server
// and removes the folder.
class private_redis {
public:
    // Throws std::runtime_error when it does not start.
    private_redis();
    ~private_redis();

    std::string socket() const { return folder_ / "redis.sock"; }

private:
    std::filesystem::path folder_;
    std::unique_ptr<program> server_;
};

}  // namespace demo

#endif
