//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_KEYSPACE_HPP
#define HOLDFAST_TESTING_KEYSPACE_HPP

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

namespace holdfast::simulated {

struct transparent_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const noexcept { return boost::hash<std::string_view>{}(s); }
};

struct transparent_equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const noexcept { return a == b; }
};

template <class Value>
using string_map = boost::unordered_flat_map<std::string, Value, transparent_hash, transparent_equal>;

// The values of a key. A hash keeps the order of insertion, as Redis does while it is small.
using string_value = std::string;
using hash_value = std::vector<std::pair<std::string, std::string>>;
using list_value = std::deque<std::string>;

// Ordered by score, then by member.
struct zset_value {
    std::vector<std::pair<double, std::string>> members;
};

// The keys of one database: values and times to live, which end on access like Redis'. Knows no clock: whoever
// executes a command says what time it is.
class keyspace {
public:
    struct entry {
        std::variant<string_value, hash_value, list_value, zset_value> data;
        std::int64_t expires_at = no_expiry;  // in ms since the epoch
    };

    static constexpr std::int64_t no_expiry = -1;

    // The server's wall clock.
    void set_time(std::int64_t us) noexcept { now_us_ = us; }
    std::int64_t now_us() const noexcept { return now_us_; }
    std::int64_t now_ms() const noexcept { return now_us_ / 1000; }

    // The living entry, or none. Valid until the next call that adds or removes a key.
    entry* find(std::string_view key);

    // Adds a key, or replaces what it was; without a time to live.
    entry& put(std::string_view key, decltype(entry::data));

    bool erase(std::string_view key);
    void clear() { entries_.clear(); }

    // For audits: all living keys, sorted.
    std::vector<std::string> names();

private:
    bool is_over(entry const& e) const noexcept { return e.expires_at != no_expiry && now_ms() > e.expires_at; }

    string_map<entry> entries_;
    std::int64_t now_us_ = 0;
};

}  // namespace holdfast::simulated

#endif
