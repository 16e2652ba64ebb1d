//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_REDIS_CLUSTER_HPP
#define HOLDFAST_BENCH_SUPPORT_REDIS_CLUSTER_HPP

#include <cstddef>
#include <deque>
#include <string>

#include "support/redis_server.hpp"

namespace holdfast::bench {

// A private Redis Cluster of primaries without replicas, each with an equal share of the slots. All of them know each
// other when the constructor returns.
class redis_cluster {
public:
    explicit redis_cluster(std::size_t primaries);

    std::string url() const { return "redis+cluster://" + nodes_.front().address(); }
    std::deque<redis_server>& nodes() noexcept { return nodes_; }

private:
    void share_slots();
    void introduce();
    void await_state();
    bool is_complete();

    std::deque<redis_server> nodes_;
};

}  // namespace holdfast::bench

#endif
