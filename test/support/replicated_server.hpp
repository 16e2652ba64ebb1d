//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_REPLICATED_SERVER_HPP
#define HOLDFAST_TEST_SUPPORT_REPLICATED_SERVER_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/replication.hpp"
#include "support/fault_plan.hpp"
#include "support/simulation.hpp"

namespace holdfast::test {

struct replication_options {
    unsigned replicas = 1;
    // How long a write takes to a replica, and its acknowledgement back.
    span_of_time lag = {std::chrono::microseconds(200), std::chrono::milliseconds(20)};
    // After how long a server that became a replica has all data of its primary.
    span_of_time resync = {std::chrono::milliseconds(100), std::chrono::seconds(2)};
};

// A primary and its replicas behind one address, as Sentinel gives it: servers of a simulation with the names
// "ADDRESS/0", "ADDRESS/1" ... The address leads to the primary.
//
// | event            | the former primary                  | the promoted replica         | the other replicas           |
// |------------------|-------------------------------------|------------------------------|------------------------------|
// | fail_over(t)     | keeps the connections it has, and   | the address leads to it; has | lose their primary, and      |
// |                  | executes their commands; no replica | what it had received of its  | follow the new one after the |
// |                  | follows it any more                 | primary                      | time of a resynchronisation  |
// | `t` later        | is a replica: closes all            |                              |                              |
// |                  | connections, and follows the new    |                              |                              |
// |                  | primary after that time             |                              |                              |
//
// Which of several replicas is promoted: the one that has received most.
class replicated_server {
public:
    // Call before anything else uses the address.
    replicated_server(simulation&, std::string address, replication_options = {});
    replicated_server(replicated_server const&) = delete;
    replicated_server& operator=(replicated_server const&) = delete;
    // The servers stay, and replicate no more.
    ~replicated_server();

    simulated_server& primary() { return server(primary_); }
    simulated_server& server(unsigned node) { return simulation_.server(name_of(node)); }
    std::string const& address() const noexcept { return address_; }

    // A replica becomes the primary: every write that it had not received is lost. For `unaware` the former primary
    // does not know of it, as one that was cut off or frozen. False: no replica is attached, and nothing happens.
    bool fail_over(core::duration unaware = {});
    // All replicas of the primary lose their link to it, for that long and until they have all data again.
    void cut_off_replicas(core::duration);
    unsigned fail_overs() const noexcept { return fail_overs_; }

private:
    using replica = simulated::replication::replica;
    // A node that is not the primary, and which replica of the primary it is; nothing: it does not follow it now.
    struct node {
        std::optional<replica> follows;
        core::instant last_arrival{};
    };

    std::string name_of(unsigned node) const { return address_ + "/" + std::to_string(node); }
    simulated::replication& line() { return primary().model().replicas(); }
    void lead();
    void follow(unsigned node);
    void follow_later(unsigned node, core::duration after);
    void send(unsigned from, replica, simulated::replication::offset);
    std::optional<unsigned> best() const;
    void demote(unsigned node);
    template <class Function>
    void after(core::duration, Function);

    simulation& simulation_;
    std::string const address_;
    replication_options const options_;
    std::vector<node> nodes_;
    unsigned primary_ = 0;
    unsigned fail_overs_ = 0;
    std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace holdfast::test

#endif
