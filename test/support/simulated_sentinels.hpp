//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_SIMULATED_SENTINELS_HPP
#define HOLDFAST_TEST_SUPPORT_SIMULATED_SENTINELS_HPP

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/replicated_server.hpp"

namespace holdfast::test {

struct sentinel_times {
    // After how long the sentinel that leads a failover knows that the replica was promoted.
    span_of_time notice = {std::chrono::milliseconds(1), std::chrono::seconds(1)};
    // How much later another one learns of it.
    span_of_time gossip = {std::chrono::milliseconds(0), std::chrono::seconds(2)};
};

// The sentinels of a replicated server, whose master they call "mymaster": servers of a simulation with the names
// "ADDRESS/sentinel/0", "ADDRESS/sentinel/1" ... One that is paused hangs: it answers, and learns of a failover, when it
// goes on.
//
// | event        | the sentinel that leads it        | each other one               | the former master             |
// |--------------|-----------------------------------|------------------------------|-------------------------------|
// | fail_over(t) | names the new master after        | the same `gossip` later, and | as replicated_server says:    |
// |              | `notice`, and announces it by     | by +switch-master            | serves its clients for `t`    |
// |              | +promoted-slave                   |                              |                               |
class simulated_sentinels {
public:
    simulated_sentinels(simulation&, replicated_server&, unsigned count = 3, sentinel_times = {});
    simulated_sentinels(simulated_sentinels const&) = delete;
    simulated_sentinels& operator=(simulated_sentinels const&) = delete;
    // The servers stay, and know no master.
    ~simulated_sentinels();

    std::vector<std::string> const& names() const noexcept { return names_; }
    unsigned count() const noexcept { return static_cast<unsigned>(names_.size()); }
    simulated_server& sentinel(unsigned n) { return simulation_.server(names_.at(n)); }

    // As SENTINEL FAILOVER: a replica is promoted while the master is well, or after it has stopped. False: nothing
    // happens, because no replica follows, or all sentinels hang.
    bool fail_over(core::duration unaware);

private:
    struct named {
        std::int64_t epoch = 0;
        std::string master;
    };

    std::optional<simulated::value> answer(unsigned sentinel, simulated::words) const;
    std::optional<unsigned> draw_leader();
    void tell(unsigned sentinel, named const&, std::string_view channel, core::duration after);

    simulation& simulation_;
    replicated_server& servers_;
    sentinel_times const times_;
    std::vector<std::string> names_;
    std::vector<named> known_;  // to each sentinel
    std::int64_t epoch_ = 0;
    std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace holdfast::test

#endif
