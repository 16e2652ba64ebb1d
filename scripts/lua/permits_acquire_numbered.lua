-- Grants one permit with a number from 1 on that no other permit has, and with a fencing token, which is greater than all
-- earlier ones of the semaphore. Creates the semaphore if there is none.
-- KEYS  counter, timeouts, waiting, numbers, fencing counter
-- ARGV  lease time in ms, permits to create it with (0: never), its time to live in ms (0: none), channel, holder, time to
--   live of the fencing counter in ms, whether it waits for a message if it is refused (1; 0: no)
-- returns {1, fencing token, number}: granted; {0, t, total}: busy, as permits_acquire; t = -2: there are no permits
-- errors WRONGTYPE: the counter is not a number, the fencing counter is not a number below 2^53, or another key is of
--   another type; nothing changed
-- redis.calls: time, getrange, hgetall, zmscore (if there are numbers), getrange, time, set, incrby, zadd, pttl, pexpire,
--   pexpire or persist, hset, pexpire (granted); if the fencing counter is missing also exists; time, getrange, hgetall,
--   zrangebyscore, zrange, zcard (busy); if
--   permits had expired also zrem, incrby, publish; for numbers of permits that were released also hdel; if it is
--   created also exists, zcard, set, publish; of a waiter also zrem (granted), zadd, pexpire (busy); zrange and
--   notified clients as permits_acquire; zcard, and if a permit has no number zrange
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local me, channel, is_waiter = ARGV[5], ARGV[4], ARGV[7] == '1'
-- include permit_counter
local text, left, failed = read_counter()
if failed then return failed end
-- include permit_life
-- include permit_waiting
-- include permit_wait
if not text and ARGV[2] == '0' then
    if is_waiter then wait_for(me, 1) end
    return {0, -1, -1}
end
-- include permit_scores
-- include permit_grant
-- include permits
-- include permit_settle
-- include permit_wake
-- include fence

local numbered = {}

-- When the last of the permits ends whose number was lost; nil: there is none, or an error follows: these are more permits
-- than a numbered semaphore has. Until then nobody knows which numbers are free. A holder that is renewed finds out
-- earlier, and releases its permit. Redisson's permits have no numbers.
local function end_of_unnumbered()
    local known, last = 0, nil
    for _ in pairs(numbered) do known = known + 1 end
    local held = redis.call('zcard', KEYS[2])
    if held == known then return nil end
    if held > 10000 then return nil, redis.error_reply('WRONGTYPE the timeouts are too many for permits with numbers') end
    local all = redis.call('zrange', KEYS[2], '0', '-1', 'WITHSCORES')
    for i = 1, #all, 2 do
        local is_ours = #all[i] > 16 and string.byte(all[i], 15) == 56
        local ends = end_of(all[i], all[i + 1])
        if is_ours and not numbered[all[i]] and all[i] ~= me and ends > now then last = math.max(last or 0, ends) end
    end
    return last
end

-- The smallest number that no permit has. Numbers of permits that were released or are over are free again; their holders
-- are added to `ended`. Other data in place of a number counts as lost.
local function free_number(entries, over, ended)
    local holders, taken, is_over = {}, {}, {}
    for _, holder in ipairs(over) do is_over[holder] = true end
    for i = 1, #entries, 2 do holders[#holders + 1] = entries[i] end
    local scores = #holders > 0 and scores_of(holders) or {}
    for i, holder in ipairs(holders) do
        local number = to_number(entries[2 * i])
        if scores[i] and number then numbered[holder] = true end
        if not scores[i] or is_over[holder] then
            ended[#ended + 1] = holder
        elseif number then
            taken[number] = true
        end
    end
    local number = 1
    while taken[number] do number = number + 1 end
    return number
end

-- Read before the first write: a key of another type changes nothing. Nothing else is read before the counter is raised:
-- with the last member the timeouts go, and where their hash slot is being moved a command for a missing key fails.
local foreign = flaw_of_timeouts()
if foreign then return foreign end
if redis.call('hlen', KEYS[4]) > 10000 then return redis.error_reply('WRONGTYPE the numbers name no holders') end
local entries = redis.call('hgetall', KEYS[4])
local over, ended = left and left > 0 and {} or expired(), {}
local free = (left or ARGV[2] - redis.call('zcard', KEYS[2])) + #over
local number = free > 0 and free_number(entries, over, ended)
local unnumbered, flaw
if number then unnumbered, flaw = end_of_unnumbered() end
if flaw then return flaw end
if free < 1 or unnumbered then
    remove(over)
    settle(text, free, #over, ARGV[3])
    local total = free + redis.call('zcard', KEYS[2])
    if total < 1 then
        if is_waiter then stop_waiting(me) end
        return {0, -2, total}
    end
    if is_waiter then wait_for(me, 1) end
    return {0, unnumbered and unnumbered - now or time_until(1 - free), total}
end

local token, denied = raise(KEYS[5], 'PX', ARGV[6])
if not token then return denied end
remove(over)
-- The counter before the member, as in permits_acquire.
settle(text, free - 1, #over - 1, ARGV[3])
local _, refused = write_members({me}, ARGV[1], 1)
if refused then return refused end
for i = 1, #ended, 1000 do redis.call('hdel', KEYS[4], unpack(ended, i, math.min(i + 999, #ended))) end
redis.call('hset', KEYS[4], me, number)
redis.call('pexpire', KEYS[4], one_day)
if (#over > 0 or not text) and free > 1 then redis.pcall('publish', channel, free - 1) end
if is_waiter then stop_waiting(me) end
wake(channel, free - 1, text and #over or free - 1, me)
return {1, token, number}
