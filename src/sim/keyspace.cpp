//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/keyspace.hpp"

#include <algorithm>

namespace holdfast::simulated {

keyspace::entry* keyspace::find(std::string_view key)
{
    auto const at = entries_.find(key);
    if (at == entries_.end())
        return nullptr;
    if (!is_over(at->second))
        return &at->second;
    entries_.erase(at);  // at the access, as in Redis
    return nullptr;
}

keyspace::entry& keyspace::put(std::string_view key, decltype(entry::data) data)
{
    auto at = entries_.find(key);
    // Found first, so that a key that exists is replaced without a copy of its name.
    if (at == entries_.end())
        at = entries_.emplace(std::string(key), entry{}).first;
    // The whole entry is replaced, so that the time to live of the old value does not remain.
    at->second = entry{std::move(data), no_expiry};
    return at->second;
}

// An expired key is removed, too, but counts as missing: DEL replies 0 for it.
bool keyspace::erase(std::string_view key)
{
    auto const at = entries_.find(key);
    if (at == entries_.end())
        return false;
    bool const lived = !is_over(at->second);
    entries_.erase(at);
    return lived;
}

// It skips expired keys and does not remove them: an audit of a test must not change the server.
std::vector<std::string> keyspace::names()
{
    std::vector<std::string> all;
    for (auto const& [name, e] : entries_)
        if (!is_over(e))
            all.push_back(name);
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace holdfast::simulated
