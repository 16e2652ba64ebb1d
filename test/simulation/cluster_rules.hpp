//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_CLUSTER_RULES_HPP
#define HOLDFAST_TEST_SIMULATION_CLUSTER_RULES_HPP

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "support/simulated_server.hpp"

namespace holdfast::test {

// What clients of a cluster must never send, whatever happens to its slots. Throws if one does. One object is for all
// nodes:
//     cluster_rules rules;
//     server.check(std::ref(rules));
class cluster_rules {
public:
    void operator()(executed const&);

private:
    void require_confined(executed const&) const;
    void require_pace(executed const&);

    std::set<std::string, std::less<>> asking_;  // connections whose last command was ASKING
    // When a process asked a node for the slots.
    std::map<std::pair<std::string, std::string>, std::deque<core::instant>> questions_;
};

}  // namespace holdfast::test

#endif
