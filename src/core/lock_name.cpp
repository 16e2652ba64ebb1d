//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "core/lock_name.hpp"

#include <algorithm>
#include <array>

namespace holdfast::core {
namespace {

// The hash slot of a key depends on its tag: the text between the first '{' and the next '}', if that is not empty.
// Without a tag it depends on the whole key. prefixed() puts braces around a name without '{', so that the name becomes
// the tag of the derived key; a '}' inside the name would end that tag early. A name with '{' is used as it is, so it
// must have a complete tag.
bool keeps_one_slot(std::string_view name) noexcept
{
    auto const open = name.find('{');
    if (open == name.npos)
        return name.find('}') == name.npos;
    auto const close = name.find('}', open);
    return close != name.npos && close > open + 1;
}

// What stands before the colon in the names of keys that belong to a lock: those of prefixed(), and Redisson's.
constexpr std::array<std::string_view, 17> key_prefixes{
    "holdfast_ack",
    "holdfast_fence",
    "holdfast_latch",
    "holdfast_latch_steps",
    "holdfast_leader",
    "holdfast_lock_priority",
    "holdfast_lock_waiters",
    "holdfast_permit_numbers",
    "holdfast_permit_queue",
    "holdfast_permit_waiters",
    "holdfast_permit_waiting",
    "holdfast_readers_waiting",
    "holdfast_writer_waiting",
    "redisson_lock_queue",
    "redisson_lock_timeout",
    "redisson_lock_token",
    "redisson_unlock_latch"};

}  // namespace

bool is_derived_key(std::string_view key) noexcept
{
    // Each derived key has the braces of the name that it was derived from, or those that were put around it.
    if (key.find('{') == key.npos)
        return false;
    bool const has_prefix = std::ranges::any_of(key_prefixes, [&](std::string_view prefix) {
        return key.starts_with(prefix) && key.substr(prefix.size()).starts_with(':');
    });
    return has_prefix || key.ends_with(":timeout") || key.find(":rwlock_timeout:") != key.npos;
}

bool is_valid_lock_name(std::string_view name) noexcept
{
    return !name.empty() && name.size() <= max_name_size && keeps_one_slot(name);
}

std::string prefixed(std::string_view prefix, std::string_view name)
{
    bool const tagged = name.find('{') != name.npos;
    std::string out;
    out.reserve(prefix.size() + name.size() + 3);
    out.append(prefix).append(tagged ? ":" : ":{").append(name);
    return tagged ? out : out.append("}");
}

std::string suffixed(std::string_view name, std::string_view suffix)
{
    bool const tagged = name.find('{') != name.npos;
    std::string out(tagged ? "" : "{");
    out.reserve(name.size() + suffix.size() + 3);
    return out.append(name).append(tagged ? ":" : "}:").append(suffix);
}

std::string unlock_channel(std::string_view name)
{
    return prefixed("redisson_lock__channel", name);
}

std::vector<std::string> fair_companions(std::string_view name)
{
    return {
        prefixed("redisson_lock_queue", name),
        prefixed("redisson_lock_timeout", name),
        prefixed("holdfast_lock_waiters", name),
        prefixed("holdfast_lock_priority", name)};
}

std::string permit_channel(std::string_view name)
{
    return prefixed("redisson_sc", name);
}

std::string rw_channel(std::string_view name)
{
    return prefixed("redisson_rwlock", name);
}

std::vector<std::string> rw_companions(std::string_view name)
{
    return {prefixed("holdfast_writer_waiting", name), prefixed("holdfast_readers_waiting", name), suffixed(name, "")};
}

std::string latch_channel(std::string_view name)
{
    return std::string("redisson_countdownlatch__channel__{").append(name).append("}");
}

std::string fence_key(std::string_view name)
{
    return prefixed("holdfast_fence", name);
}

std::string redisson_fence_key(std::string_view name)
{
    return prefixed("redisson_lock_token", name);
}

}  // namespace holdfast::core
