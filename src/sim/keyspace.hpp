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

// Maps with keys of type std::string in which a std::string_view is found without a copy.
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

// The types of a value. A hash keeps the order of insertion, as Redis does while the hash is small: HGETALL has the
// same order in both.
using string_value = std::string;
using hash_value = std::vector<std::pair<std::string, std::string>>;
using list_value = std::deque<std::string>;

// In the order of insertion. A type of its own: two alternatives of a variant with one type cannot be told apart.
struct set_value {
    std::vector<std::string> members;
};

// Ordered by score, then by member.
struct zset_value {
    std::vector<std::pair<double, std::string>> members;
};

// The keys of one database, with their values and times to live. It reads no clock: the caller sets the time before it
// executes a command. An expired key is removed at the next access to it. Not thread-safe.
class keyspace {
public:
    struct entry {
        std::variant<string_value, hash_value, list_value, zset_value, set_value> data;
        std::int64_t expires_at = no_expiry;  // in ms since the epoch
    };

    static constexpr std::int64_t no_expiry = -1;

    // The server's wall clock. It may step back: times to live then become longer, as in Redis.
    void set_time(std::int64_t us) noexcept { now_us_ = us; }
    std::int64_t now_us() const noexcept { return now_us_; }
    std::int64_t now_ms() const noexcept { return now_us_ / 1000; }

    // The entry, if the key exists and has not expired; else null. Valid until the next call that adds or removes a
    // key.
    entry* find(std::string_view key);

    // Adds a key or replaces its value. The key has no time to live afterwards.
    entry& put(std::string_view key, decltype(entry::data));

    // Returns whether the key existed and had not expired, which DEL counts.
    bool erase(std::string_view key);
    void clear() { entries_.clear(); }

    // All keys that have not expired. Sorted, so that a simulation does not depend on the order of a hash map.
    std::vector<std::string> names();

private:
    // Greater, not equal: in Redis a key exists during its last millisecond.
    bool is_over(entry const& e) const noexcept { return e.expires_at != no_expiry && now_ms() > e.expires_at; }

    string_map<entry> entries_;
    std::int64_t now_us_ = 0;
};

}  // namespace holdfast::simulated

#endif
