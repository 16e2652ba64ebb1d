//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/known_cluster.hpp"

#include <algorithm>

namespace holdfast::session {

known_cluster::answer known_cluster::judge(core::cluster_map const& map, core::instant now)
{
    bool const is_known = knows_any_of(map);
    if (!is_known && doubted_since_ == core::never)
        doubted_since_ = now;
    if (!is_known && now < doubted_since_ + patience)
        return answer::refused;
    doubted_since_ = core::never;
    learn(map);
    return is_known ? answer::accepted : answer::replaced;
}

// Servers without ids cannot be told apart.
bool known_cluster::knows_any_of(core::cluster_map const& map) const
{
    if (ids_.empty())
        return true;
    auto const is_known = [&](std::string const& id) { return id.empty() || std::ranges::binary_search(ids_, id); };
    return std::ranges::any_of(map.primaries, is_known, &core::cluster_primary::id)
           || std::ranges::any_of(map.replicas, is_known, &core::cluster_primary::id);
}

void known_cluster::learn(core::cluster_map const& map)
{
    ids_.clear();
    for (auto const* const nodes : {&map.primaries, &map.replicas})
        for (auto const& n : *nodes)
            if (!n.id.empty())
                ids_.push_back(n.id);
    std::ranges::sort(ids_);
}

}  // namespace holdfast::session
