//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_PROBE_NAMES_HPP
#define HOLDFAST_CLI_PROBE_NAMES_HPP

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// What the tests of `holdfast doctor` name. `key` is new, so that no other client uses it.
struct probe_names {
    std::string key;                      // a lock
    std::vector<std::string> companions;  // the keys that the library derives from its name
    std::vector<std::string> channels;    // the channels on which it sends messages
    std::string fence;                    // the companion that a fenced mutex writes
    std::string spare_id = {};            // the number of the spare connection; empty: not known
    bool in_cluster_mode = false;
    bool over_cluster = false;      // the client uses all primaries of a cluster
    bool sharded_messages = false;  // and receives sharded messages from this one
};

// The names for a lock whose name is `prefix`, a colon and `random`.
probe_names names_for(std::string_view prefix, std::string_view random);

// 64 bits of the operating system, as digits: two doctors at the same time do not meet.
std::string random_digits();

}  // namespace holdfast::cli

#endif
