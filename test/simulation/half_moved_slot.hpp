//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_HALF_MOVED_SLOT_HPP
#define HOLDFAST_TEST_SIMULATION_HALF_MOVED_SLOT_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/hash_slot.hpp"
#include "engine/port/script.hpp"
#include "sim/cluster_model.hpp"
#include "sim/redis_model.hpp"
#include "simulation/listener.hpp"

namespace holdfast::test {

// The hash slot of one key, at the source of its move, at the destination, or half-moved between them.
class half_moved_slot {
public:
    using strings = std::vector<std::string>;

    explicit half_moved_slot(std::string key) : key_(std::move(key))
    {
        cluster_.add("source", source_);
        cluster_.add("destination", destination_);
        cluster_.assign(0, 16383, "source");
    }

    static std::string holder(int n) { return "6f1c1d0e-0000-8000-8000-000000000001:" + std::to_string(n); }

    // From now on a key that is not at the source may be at the destination.
    void begin_move() { cluster_.begin_move(slot(), "destination"); }
    bool move_key(std::string_view key) { return cluster_.move_key(key); }
    void end_move()
    {
        if (!cluster_.destination_of(slot()).empty())
            cluster_.move(slot(), "destination");
    }
    void let_leases_end() { now_us_ += 20'000'000; }

    simulated::value at_source(strings const& text) { return say(text, source_, id_); }
    simulated::value at_destination(strings const& text) { return say(text, destination_, id_there_); }

protected:
    static strings eval(engine::script const& script, strings const& keys, strings const& arguments)
    {
        strings words{"EVAL", std::string(script.text), std::to_string(keys.size())};
        words.insert(words.end(), keys.begin(), keys.end());
        words.insert(words.end(), arguments.begin(), arguments.end());
        return words;
    }
    std::string run(engine::script const& script, strings const& keys, strings const& arguments)
    {
        return to_string(at_source(eval(script, keys, arguments)));
    }

private:
    std::uint16_t slot() const { return core::hash_slot(key_); }
    simulated::value say(strings const& text, simulated::redis_model& to, simulated::connection_id as)
    {
        std::vector<std::string_view> const views(text.begin(), text.end());
        return to.execute(as, views, now_us_).value_or(simulated::nil());
    }

    std::string key_;
    std::shared_ptr<simulated::lua_engine> lua_ = std::make_shared<simulated::lua_engine>();
    simulated::redis_model source_{lua_}, destination_{lua_};
    listener listener_, listener_there_;
    simulated::connection_id id_ = source_.connect(listener_), id_there_ = destination_.connect(listener_there_);
    std::int64_t now_us_ = 1'800'000'000'123'456;
    simulated::cluster_model cluster_;
};

}  // namespace holdfast::test

#endif
