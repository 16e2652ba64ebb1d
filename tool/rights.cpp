//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/rights.hpp"

#include <algorithm>
#include <array>

#include "tool/denial.hpp"

namespace holdfast::cli {
namespace {

using kind = detail::command_reply::kind;

constexpr unsigned all_locks = needs_mutex | needs_reentrant | needs_fair | needs_read_write;
// An election needs what its lock needs, a fair lock.
constexpr unsigned with_queue = needs_fair | needs_election;
constexpr unsigned hashes = needs_reentrant | with_queue | needs_read_write;
constexpr unsigned everything = all_locks | needs_semaphore | needs_election;

constexpr std::array table{
    right{"decrby", needs_latch | needs_semaphore},
    right{"exists", needs_latch | everything},
    right{"getrange", needs_latch | everything | needs_queries},
    right{"hdel", needs_latch | hashes | needs_semaphore},
    right{"hexists", hashes},
    right{"hget", with_queue | needs_read_write | needs_semaphore},
    right{"hgetall", with_queue | needs_read_write | needs_semaphore | needs_queries},
    right{"hkeys", needs_election | needs_queries},
    right{"hlen", with_queue | needs_read_write | needs_semaphore | needs_queries},
    right{"hscan", needs_read_write},
    right{"hmget", with_queue},
    right{"hset", needs_latch | hashes | needs_semaphore},
    right{"incrby", needs_semaphore},
    right{"lindex", with_queue},
    right{"linsert", with_queue},
    right{"llen", with_queue},
    right{"lpop", with_queue},
    right{"lpos", with_queue},
    right{"lrange", with_queue},
    right{"lrem", with_queue},
    right{"mget", needs_mutex},
    right{"persist", with_queue | needs_semaphore},
    right{"pexpire", needs_latch | everything},
    right{"pttl", needs_latch | everything | needs_queries},
    right{"rpush", with_queue},
    right{"set", needs_latch | everything},
    right{"time", needs_latch | everything},
    right{"type", all_locks | needs_election | needs_queries},
    right{"unlink", needs_latch | everything | needs_queries},
    right{"zadd", with_queue | needs_semaphore},
    right{"zcard", with_queue | needs_semaphore},
    right{"zmscore", with_queue | needs_semaphore},
    right{"zrange", needs_semaphore},
    right{"zrangebyscore", needs_semaphore},
    right{"zrem", with_queue | needs_semaphore},
    right{"zscan", needs_semaphore},
    right{"zscore", with_queue | needs_semaphore},
};

constexpr std::string_view script = R"lua(
local key, denied = KEYS[1], {}
local function try(name, ...)
    local reply = redis.pcall(name, ...)
    local failed = type(reply) == 'table' and reply.err
    if failed then
        denied[#denied + 1] = name
        denied[#denied + 1] = failed
    end
    return not failed
end
for _, name in ipairs({'exists', 'mget', 'type', 'pttl', 'persist', 'hgetall', 'hkeys', 'hlen', 'llen', 'lpop', 'zcard'}) do
    try(name, key)
end
for _, name in ipairs({'hdel', 'hexists', 'hget', 'hmget', 'lpos', 'zrem', 'zscore', 'zmscore'}) do try(name, key, 'x') end
for _, name in ipairs({'getrange', 'lrange', 'zrange', 'zrangebyscore'}) do try(name, key, '0', '1') end
try('lindex', key, '0')
try('hscan', key, '0')
try('zscan', key, '0')
try('linsert', key, 'BEFORE', 'x', 'y')
try('lrem', key, '1', 'x')
try('time')
if try('set', key, 'x', 'PX', '1000') then
    try('pexpire', key, '1000')
    try('hset', key, 'x', '1')
    try('rpush', key, 'x')
    try('zadd', key, '1', 'x')
    try('incrby', key, '1')
    try('decrby', key, '1')
end
try('unlink', key)
return denied
)lua";

struct name_of_need {
    need bit;
    char const* name;
};

constexpr std::array names{
    name_of_need{needs_mutex, "mutex"},
    name_of_need{needs_reentrant, "reentrant_lock"},
    name_of_need{needs_fair, "fair_lock"},
    name_of_need{needs_read_write, "read_write_lock"},
    name_of_need{needs_semaphore, "semaphore"},
    name_of_need{needs_election, "election"},
    name_of_need{needs_latch, "latch"},
    name_of_need{needs_queries, "holders() and force_release()"}};

std::string words_of(unsigned needs)
{
    bool const concerns_all = (needs & all_locks) == all_locks;
    std::string all = concerns_all ? "all locks" : "";
    for (auto const& n : names)
        if ((needs & n.bit) != 0 && !(concerns_all && (all_locks & n.bit) != 0))
            all.append(all.empty() ? "" : ", ").append(n.name);
    return all;
}

// The commands that the reply says were denied, with what needs them: "mget for mutex; zcard for semaphore".
struct denials {
    std::string words = {};
    bool concern_all = false;
};

bool is_denied(right const& r, std::span<std::string const> items)
{
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
        if (items[i] == r.command && is_denial(items[i + 1]))
            return true;
    return false;
}

denials denials_in(std::span<std::string const> items)
{
    denials all;
    for (auto const& r : table) {
        if (!is_denied(r, items))
            continue;
        all.words.append(all.words.empty() ? "" : "; ").append(r.command).append(" for ").append(words_of(r.needs));
        all.concern_all = all.concern_all || (r.needs & all_locks) == all_locks;
    }
    return all;
}

}  // namespace

std::span<right const> rights()
{
    return table;
}

std::vector<std::string> rights_script(std::string const& key)
{
    return {"EVAL", std::string(script), "1", key};
}

finding judge_rights(detail::command_reply const& r)
{
    if (r.type == kind::error)
        return {denies_scripts(r) ? grade::bad : grade::doubtful, "rights", "not tested (" + r.text + ")"};
    if (r.type != kind::list)
        return {grade::doubtful, "rights", "not tested: the server did not reply in time"};
    auto const found = denials_in(r.items);
    if (found.words.empty())
        return {grade::good, "rights", "scripts may call all commands that they need"};
    auto const how = found.concern_all ? grade::bad : grade::doubtful;
    return {how, "rights", "denied, so operations end with errc::not_permitted: " + found.words};
}

}  // namespace holdfast::cli
