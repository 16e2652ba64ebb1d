//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/simulated_sentinels.hpp"

namespace holdfast::test {

using simulated::bulk;

simulated_sentinels::simulated_sentinels(simulation& s, replicated_server& r, unsigned count, sentinel_times t)
    : simulation_(s), servers_(r), times_(t), known_(count, named{0, r.primary().name()})
{
    for (unsigned i = 0; i != count; ++i) {
        names_.push_back(r.address() + "/sentinel/" + std::to_string(i));
        sentinel(i).own_commands = [this, i](simulated::words w) { return answer(i, w); };
    }
}

simulated_sentinels::~simulated_sentinels()
{
    for (unsigned i = 0; i != count(); ++i)
        sentinel(i).own_commands = {};
}

std::optional<simulated::value> simulated_sentinels::answer(unsigned n, simulated::words w) const
{
    if (w.size() != 3 || w[0] != "SENTINEL")
        return std::nullopt;
    if (w[2] != "mymaster")
        return w[1] == "MASTER" ? simulated::error("ERR No such master with that name") : simulated::nil();
    auto const& k = known_[n];
    if (w[1] == "MASTER")
        return simulated::array({bulk("ip"), bulk(k.master), bulk("config-epoch"), bulk(std::to_string(k.epoch))});
    return simulated::array({bulk(k.master), bulk("6379")});
}

std::optional<unsigned> simulated_sentinels::draw_leader()
{
    std::vector<unsigned> running;
    for (unsigned i = 0; i != count(); ++i)
        if (!sentinel(i).is_paused())
            running.push_back(i);
    if (running.empty())
        return std::nullopt;
    return running[simulation_.world().chance().below(running.size())];
}

bool simulated_sentinels::fail_over(core::duration unaware)
{
    auto& chance = simulation_.world().chance();
    auto const leader = draw_leader();
    if (!leader || !servers_.fail_over(unaware))
        return false;
    named const now{++epoch_, servers_.primary().name()};
    auto const notice = chance.between(times_.notice.least, times_.notice.most);
    for (unsigned i = 0; i != count(); ++i) {
        auto const gossip = chance.between(times_.gossip.least, times_.gossip.most);
        i == *leader ? tell(i, now, "+promoted-slave", notice) : tell(i, now, "+switch-master", notice + gossip);
    }
    return true;
}

void simulated_sentinels::tell(unsigned n, named const& what, std::string_view channel, core::duration after)
{
    auto& world = simulation_.world();
    auto const learn = [this, n, what, channel] {
        if (known_[n].epoch >= what.epoch)
            return;
        known_[n] = what;
        sentinel(n).model().publish(channel, what.master);
    };
    world.at(world.now() + after, [this, n, learn, alive = std::weak_ptr(alive_)] {
        if (alive.expired())
            return;
        sentinel(n).when_running([learn, alive] {
            if (!alive.expired())
                learn();
        });
    });
}

}  // namespace holdfast::test
