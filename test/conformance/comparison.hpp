//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_CONFORMANCE_COMPARISON_HPP
#define HOLDFAST_TEST_CONFORMANCE_COMPARISON_HPP

#include <initializer_list>
#include <string>
#include <vector>

#include "sim/redis_model.hpp"
#include "support/redis_server.hpp"
#include "support/resp_client.hpp"

namespace holdfast::test {

// A real redis-server and the model, which get the same commands and must send the same replies. What depends on the
// instant (times to live, fencing tokens) may differ by a little. On another server than Redis 7.0, which the model
// follows, two errors are the same if the client cannot tell them apart: servers word them differently.
class comparison {
public:
    comparison();

    // Sends the command to both and compares the replies; a difference fails the test and shows the last commands.
    // Returns the reply of the real server.
    simulated::value command(std::vector<std::string> const&);
    simulated::value command(std::initializer_list<std::string> text) { return command(std::vector(text)); }

    redis_server& real() noexcept { return server_; }
    simulated::redis_model& model() noexcept { return model_; }

private:
    struct nobody final : simulated::peer {
        void on_push(simulated::value const&) override {}
        void on_kill() override {}
    };

    std::string recent() const;
    bool agree(simulated::value const& said, simulated::value const& modelled) const;

    redis_server server_;
    bool const is_exact_;
    resp_client real_;
    nobody listener_;
    simulated::redis_model model_;
    simulated::connection_id const id_;
    std::vector<std::string> history_;
};

// Skips the test on a server whose replies the model does not imitate. The model follows Redis 7.0. Later versions
// write doubles with fewer digits, check bounds of lists differently, word missing rights differently, and send a
// client its own messages after the reply.
void skip_unless_redis_7_0(redis_server&);
bool is_redis_7_0(redis_server&);

// Microseconds since the epoch, from the clock that redis-server reads.
std::int64_t wall_clock_us();

bool same(simulated::value const&, simulated::value const&);

}  // namespace holdfast::test

#endif
