//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "operations/lock_survey.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>

#include "core/hash_slot.hpp"
#include "operations/derived_names.hpp"
#include "operations/lock_query.hpp"
#include "operations/lockless_query.hpp"

namespace holdfast::detail {
namespace {

// ARGV: cursor, pattern, count, whether it is a cluster (1 or 0), names. It replies with the next cursor, then for each
// lock: name, kind; unless it is free also: size n of the holders, n items, number of holders, fencing counter,
// subscribers (-1: not known), value of the leader or the latch, length of the queue, size m of its part, m items. The
// holders have the form of lock_holders.lua, for "rw" that of read_write_holders.lua, and for "semaphore" the number of free
// permits and what follows the cursor in permits_holders.lua; the queue has a token and the time in ms for which it still
// counts as alive, for each waiter. The part of "rw" is the writer that waits, which is in no queue.
//
// A command that the ACL denies yields nothing: pcall returns a table with the error. Large values are not copied: a
// token has less than 256 bytes, and a hash is only read if its first fields look like those of a lock. The lists of a
// lock are cut to 50 entries, so that one lock cannot block the server. The marks of those who wait for a
// read_write_lock have the form of a mutex, and the numbers of a semaphore and the steps of a latch that of a
// reentrant_lock, but are none.
constexpr std::string_view survey_script = R"lua(
local most, longest, longest_value, in_cluster = 50, 1024, 4096, ARGV[4] == '1'
local answer, seen, now = {}, {}, nil
local function add(...)
    for _, value in ipairs({...}) do answer[#answer + 1] = value end
end
local function ask(...)
    local reply = redis.pcall(...)
    if type(reply) ~= 'table' or not reply.err then return reply end
end
-- As to_number() of the scripts of locks.
local function is_number(text)
    return type(text) == 'string' and #text <= 17 and (text == '0' or string.find(text, '^%-?[1-9]%d*$') ~= nil)
end
-- Nothing of a large value.
local function field_of(key, field)
    local size = ask('hstrlen', key, field)
    return (not size or size <= longest_value) and ask('hget', key, field) or nil
end
local function counter(prefix, name)
    local text = ask('getrange', derived(prefix, name), 0, 17)
    return text ~= '' and text or nil
end
local function is_token(text)
    return type(text) == 'string' and #text < 256 and string.find(text, '^%x+%-%x+%-%x+%-%x+%-%x+:%d')
end
local function subscribers_of(channel)
    local reply, sharded = ask('pubsub', 'numsub', channel), in_cluster and ask('pubsub', 'shardnumsub', channel)
    return reply and reply[2] + (sharded and sharded[2] or 0) or -1
end
local function read_time()
    if now then return end
    local time = redis.call('time')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function finish(name, kind, part, total, fence, channel, value)
    add(name, kind, #part)
    for i = 1, #part do add(part[i]) end
    add(total, fence or '', subscribers_of(channel), value or '')
end

local function string_lock(name)
    local token = ask('getrange', name, 0, 255)
    if not is_token(token) then return false end
    finish(name, 'mutex', {ask('pttl', name) or -1, token}, 1, counter('holdfast_fence', name),
        derived('redisson_lock__channel', name))
    add(0, 0)
    return true
end

local function add_permit_queue(name)
    local queue, waiters = derived('holdfast_permit_queue', name), derived('holdfast_permit_waiters', name)
    local list = ask('zrange', queue, '0', most - 1) or {}
    add(ask('zcard', queue) or 0, 2 * #list)
    for _, holder in ipairs(list) do
        add(string.sub(holder, 1, 255), math.max(0, (ask('zscore', waiters, holder) or now) - now))
    end
end

-- A member for each permit: ours end 10 s before their scores, those of Redisson 10 s after.
local function semaphore(name)
    local free = ask('getrange', name, 0, 20)
    if not is_number(free) then return false end
    local timeouts = suffixed(name, 'timeout')
    local size = ask('zcard', timeouts)
    if not size or size == 0 then return false end
    read_time()
    local list, part, firsts = ask('zrange', timeouts, '0', most - 1, 'WITHSCORES') or {}, {tonumber(free)}, 0
    for i = 1, #list, 2 do
        local is_ours = #list[i] > 16
        part[#part + 1] = math.max(0, list[i + 1] + (is_ours and -10000 or 10000) - now)
        local number = is_ours and ask('hget', derived('holdfast_permit_numbers', name), list[i])
        part[#part + 1] = number and list[i] .. '#' .. number or string.sub(list[i], 1, 255)
        if not is_ours or not string.find(list[i], '/', 1, true) then firsts = firsts + 1 end
    end
    finish(name, 'semaphore', part, size > most and size or firsts, counter('holdfast_fence', name),
        derived('redisson_sc', name))
    add_permit_queue(name)
    return true
end

-- Redisson adds braces also to a name that has some.
local function latch(name)
    if ask('exists', derived('holdfast_latch', name)) ~= 1 then return false end
    local left = ask('getrange', name, 0, 20)
    if not is_number(left) or tonumber(left) < 0 then return false end
    finish(name, 'latch', {}, 0, '', 'redisson_countdownlatch__channel__{' .. name .. '}', left)
    add(0, 0)
    return true
end

local function fields_of(name, size)
    if size <= most then return ask('hgetall', name) or {} end
    local step = ask('hscan', name, '0', 'count', most)
    return step and step[2] or {}
end

local function slots_of(name, holder, holds)
    local prefix = suffixed(name, holder)
    local left = -2
    for n = math.min(is_number(holds) and tonumber(holds) or 0, 10), 1, -1 do
        left = math.max(left, ask('pttl', prefix .. ':rwlock_timeout:' .. n) or -2)
    end
    return left
end

local function add_waiting_writer(name)
    local mark = derived('holdfast_writer_waiting', name)
    local writer = ask('getrange', mark, 0, 255)
    if type(writer) ~= 'string' or writer == '' then return add(0, 0) end
    add(0, 2, writer, ask('pttl', mark) or 0)
end

local function read_write_lock(name, mode, size)
    local fields, part = fields_of(name, size), {ask('pttl', name) or -1, mode}
    for i = 1, math.min(#fields, 2 * most + 2), 2 do
        if fields[i] ~= 'mode' and #fields[i] < 256 then
            part[#part + 1] = fields[i]
            part[#part + 1] = slots_of(name, fields[i], fields[i + 1])
        end
    end
    finish(name, 'rw', part, size - 1, counter('holdfast_fence', name), derived('redisson_rwlock', name))
    add_waiting_writer(name)
end

local function add_queue(name)
    local queue = derived('redisson_lock_queue', name)
    local waiters, timeouts = derived('holdfast_lock_waiters', name), derived('redisson_lock_timeout', name)
    local list = ask('lrange', queue, 0, most - 1) or {}
    read_time()
    add(ask('llen', queue) or 0, 2 * #list)
    for _, holder in ipairs(list) do
        local last = ask('zscore', waiters, holder) or ask('zscore', timeouts, holder) or now
        add(string.sub(holder, 1, 255), math.max(0, last - now))
    end
end

local function plain_hash(name, size)
    local fields, part = fields_of(name, size), {ask('pttl', name) or -1}
    for i = 1, math.min(#fields, 2 * most), 2 do part[#part + 1] = string.sub(fields[i], 1, 255) end
    local queued = ask('exists', derived('redisson_lock_queue', name)) == 1
    local fence = counter('redisson_lock_token', name) or counter('holdfast_fence', name)
    local record = derived('holdfast_leader', name)
    local leads = #fields > 0 and field_of(record, 'holder') == fields[1]
    local kind = leads and 'election' or queued and 'fair' or 'hash'
    finish(name, kind, part, size, fence, derived('redisson_lock__channel', name), leads and field_of(record, 'value'))
    if queued then add_queue(name) else add(0, 0) end
end

local function hash_lock(name)
    local found = false
    for _, field in ipairs(ask('hrandfield', name, 2) or {}) do found = found or is_token(field) end
    if not found then return false end
    local mode, size = field_of(name, 'mode'), ask('hlen', name) or 0
    if mode == 'read' or mode == 'write' then
        read_write_lock(name, mode, size)
    else
        plain_hash(name, size)
    end
    return true
end

local function describe(name)
    if #name > longest or string.find(name, '^holdfast_%a+_waiting:') or string.find(name, '^holdfast_permit_numbers:')
        or string.find(name, '^holdfast_latch_steps:') then
        return false
    end
    local kind = (ask('type', name) or {}).ok
    if kind == 'string' then return string_lock(name) or semaphore(name) or latch(name) end
    return kind == 'hash' and hash_lock(name)
end

answer[1] = '0'
if tonumber(ARGV[3]) > 0 then
    local step = redis.call('scan', ARGV[1], 'match', ARGV[2], 'count', ARGV[3])
    answer[1] = step[1]
    for _, name in ipairs(step[2]) do
        if not seen[name] then seen[name] = describe(name) end
    end
end
for i = 5, #ARGV do
    local is_here = not in_cluster or ask('exists', ARGV[i])
    if is_here and not seen[ARGV[i]] and not describe(ARGV[i]) then add(ARGV[i], 'free') end
end
return answer
)lua";

// Reads the items of a reply one after the other; beyond the end it reads empty ones.
class item_reader {
public:
    explicit item_reader(std::span<engine::reply const> items) : rest_(items) {}

    bool at_end() const noexcept { return rest_.empty(); }
    std::string_view text() { return take(1).empty() ? std::string_view() : last_.front().text; }
    std::int64_t integer() { return take(1).empty() ? 0 : last_.front().integer; }
    std::span<engine::reply const> list()
    {
        return take(static_cast<std::size_t>(std::max<std::int64_t>(integer(), 0)));
    }

private:
    std::span<engine::reply const> take(std::size_t n)
    {
        last_ = rest_.first(std::min(n, rest_.size()));
        rest_ = rest_.subspan(last_.size());
        return last_;
    }

    std::span<engine::reply const> rest_;
    std::span<engine::reply const> last_;
};

recorded_kind to_kind(std::string_view word, std::span<engine::reply const> holders)
{
    if (word == "rw")
        return holders.size() > 1 && holders[1].text == "write" ? recorded_kind::write : recorded_kind::read;
    if (word == "mutex")
        return recorded_kind::mutex;
    if (word == "semaphore")
        return recorded_kind::semaphore;
    if (word == "election")
        return recorded_kind::election;
    if (word == "latch")
        return recorded_kind::latch;
    return word == "fair" ? recorded_kind::fair : recorded_kind::reentrant_or_fair;
}

// Any protocol that reads holders in that form.
engine::lock_protocol const& protocol_of(std::string_view word)
{
    if (word == "rw")
        return engine::write_protocol();
    return word == "semaphore" ? engine::semaphore_protocol(false) : engine::mutex_protocol(false);
}

std::vector<holder> to_holders(std::string_view word, std::span<engine::reply const> items)
{
    std::vector<holder> all;
    for (auto const& h : protocol_of(word).read_holders({.type = engine::reply::kind::array, .items = items}))
        all.push_back(to_holder(h));
    return all;
}

// Of a read_write_lock.
std::optional<holder> to_waiting_writer(std::span<engine::reply const> items)
{
    if (items.size() != 2)
        return std::nullopt;
    std::chrono::milliseconds const remaining(items[1].integer);
    return to_holder({.id = items[0].text, .remaining = remaining, .is_writer = true});
}

std::vector<holder> to_queue(std::span<engine::reply const> items)
{
    std::vector<holder> all;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
        all.push_back(to_holder({.id = items[i].text, .remaining = std::chrono::milliseconds(items[i + 1].integer)}));
    return all;
}

lock_record to_record(item_reader& items)
{
    lock_record lock;
    lock.name = items.text();
    auto const word = items.text();
    if (word == "free")
        return lock;
    auto const holders = items.list();
    lock.kind = to_kind(word, holders);
    lock.holders = to_holders(word, holders);
    if (lock.kind == recorded_kind::semaphore && !holders.empty())
        lock.free_permits = holders.front().integer;
    lock.holder_count = static_cast<std::uint64_t>(std::max<std::int64_t>(items.integer(), 0));
    lock.fence = items.text();
    if (auto const n = items.integer(); n >= 0)
        lock.subscribers = static_cast<std::uint64_t>(n);
    lock.value = items.text();
    lock.queue_length = static_cast<std::uint64_t>(std::max<std::int64_t>(items.integer(), 0));
    if (word == "rw")
        lock.waiting_writer = to_waiting_writer(items.list());
    else
        lock.queue = to_queue(items.list());
    return lock;
}

class survey_query final : public lockless_query<survey_page> {
public:
    survey_query(handler_type h, std::shared_ptr<client_state> const& home, survey_step step)
        : lockless_query(std::move(h), home, step.slot), step_(std::move(step)), count_(std::to_string(step_.count))
    {}

private:
    void send(engine::session& to, engine::script_form) override
    {
        std::string_view const in_cluster = engine().runtime().router() ? "1" : "0";
        static auto const script = with_derived_names(survey_script);
        std::vector<std::string_view> words{"EVAL", script, "0", step_.from, step_.pattern, count_, in_cluster};
        words.insert(words.end(), step_.names.begin(), step_.names.end());
        to.submit(*this, words);
    }

    survey_page read(engine::reply const& r) override
    {
        item_reader items(r.items);
        survey_page page;
        page.next = items.text();
        while (!items.at_end())
            page.locks.push_back(to_record(items));
        return page;
    }

    survey_step const step_;
    std::string const count_;
};

}  // namespace

survey_step survey_of(std::string const& name)
{
    return {.slot = core::hash_slot(name), .names = {name}};
}

void start_survey(handler_at<void(error_code, survey_page)> h, client_ptr of, survey_step step)
{
    launch_if_exists<survey_query>(of, std::move(h), std::move(step));
}

}  // namespace holdfast::detail
