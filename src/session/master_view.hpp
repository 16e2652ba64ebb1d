//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_MASTER_VIEW_HPP
#define HOLDFAST_SESSION_MASTER_VIEW_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"

namespace holdfast::session {

struct master_address {
    std::string host;
    std::uint16_t port = 0;

    friend bool operator==(master_address const&, master_address const&) = default;
};

// What a sentinel says: the master, and the number of the failover that made it the master.
struct named_master {
    std::int64_t epoch = 0;
    master_address address;
};

// Which server is the master, by the last answer of each sentinel. A sentinel learns of a failover up to seconds after
// the one that has led it, and one that was stopped names the former master for a while after it continues. So:
// - the answer with the highest epoch counts;
// - among those of one epoch, the address that most sentinels name, and before others the one that counted already;
// - an answer counts until the same sentinel gives another one, or for `memory`: a sentinel that is not heard of any
//   more must not leave the decision to one that is behind.
class master_view {
public:
    static constexpr core::duration memory = std::chrono::seconds(10);

    explicit master_view(std::size_t sentinels) : answers_(sentinels) {}

    void on_answer(std::size_t sentinel, named_master, core::instant now);
    // The sentinel does not know the master.
    void on_unknown(std::size_t sentinel) { answers_[sentinel].reset(); }

    // Nothing: no answer counts.
    std::optional<master_address> const& judge(core::instant now);

private:
    struct answer {
        named_master master;
        core::instant when;
    };

    bool is_better(named_master const&, named_master const&) const;
    std::ptrdiff_t supporters(named_master const&) const;

    std::vector<std::optional<answer>> answers_;  // of each sentinel
    std::optional<master_address> present_;
};

}  // namespace holdfast::session

#endif
