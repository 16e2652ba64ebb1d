-- Takes a fair lock that is free and on which nobody waits before us; else takes a place in the queue, or keeps the one
-- that it has. May be repeated with the same holder after an unknown outcome: it finds its place, or its grant, whose
-- time to live it sets again.
-- KEYS  lock, queue, timeouts, waiters, priorities, counter
-- ARGV  holder, lease in ms, waiter timeout in ms, channel, priority, time to live of the counter in ms
-- The counter is left out by a lock without fencing. Priority 0: one attempt, which takes no place.
-- returns nil: granted; n > 0: granted, the fencing token; n < 0: busy, -3 - t, where t is the PTTL of the lock (-1: it
--   has no time to live) or, while the lock is free, the time that the first of the queue has
-- errors WRONGTYPE: the lock is neither a hash nor a string with a time to live, or a key of the queue is no queue
-- redis.calls: exists, hset, pexpire (free, nobody waits); exists, pttl, lindex, lpop, exists, del or zrem, zrem, hdel,
--   hset, pexpire (our turn); besides, with fencing: time, set
local me = ARGV[1]

local function grant()
    redis.call('hset', KEYS[1], me, '1')
    redis.call('pexpire', KEYS[1], ARGV[2])
    if not KEYS[6] then return nil end
    local time = redis.call('time')
    local fence = time[1] * 1000000 + time[2]
    local last = redis.call('set', KEYS[6], string.format('%.0f', fence), 'PX', ARGV[6], 'GET')
    if last and tonumber(last) >= fence then
        fence = tonumber(last) + 1
        redis.call('set', KEYS[6], string.format('%.0f', fence), 'PX', ARGV[6])
    end
    return fence
end

if redis.call('exists', KEYS[1], KEYS[2]) == 0 then return grant() end

local now, patience, channel -- known when they are needed
-- include fair_queue

local left = redis.call('pttl', KEYS[1])
local is_free, is_patient = left == -2, ARGV[5] ~= '0'
if not is_free then
    local kind = redis.call('type', KEYS[1]).ok
    if kind == 'hash' and redis.call('hexists', KEYS[1], me) == 1 then return grant() end
    if kind ~= 'hash' and (kind ~= 'string' or left < 0) then
        return redis.error_reply('WRONGTYPE the lock is a ' .. kind)
    end
    if not is_patient then return -3 - left end
elseif redis.call('lindex', KEYS[2], 0) == me then
    redis.call('lpop', KEYS[2])
    forget(me)
    return grant()
end

local time = redis.call('time')
now, patience, channel = time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[3]), ARGV[4]
local usual_priority, max_bypass = 5, 30

-- Behind everybody, but before those at the end that weigh less and were not passed too often. Redisson's weigh 5.
local function enter(priority)
    local all = redis.call('lrange', KEYS[2], 0, -1)
    local at = #all
    if priority > usual_priority or redis.call('exists', KEYS[5]) == 1 then
        local weights = {}
        local known = redis.call('hgetall', KEYS[5])
        for i = 1, #known, 2 do weights[known[i]] = tonumber(known[i + 1]) end
        while at > 0 do
            local weight = weights[all[at]] or 1000 * usual_priority
            if weight >= 1000 * priority or weight % 1000 >= max_bypass then break end
            redis.call('hset', KEYS[5], all[at], weight + 1)
            at = at - 1
        end
    end
    local foreign = 0
    for i = 1, at do
        if not is_ours(all[i]) then foreign = foreign + 1 end
    end
    if priority ~= usual_priority then
        redis.call('hset', KEYS[5], me, 1000 * priority)
        redis.call('pexpire', KEYS[5], one_day)
    end
    redis.call('zadd', KEYS[3], now + patience + foreign_share * foreign, me)
    redis.call('zadd', KEYS[4], now + patience, me)
    if at == #all then
        redis.call('rpush', KEYS[2], me)
    else
        redis.call('linsert', KEYS[2], 'BEFORE', all[at + 1], me)
    end
    if #all == 0 then keep(false) end
end

look_after()
if not is_patient then
    -- It only looks.
elseif redis.call('zscore', KEYS[3], me) then
    redis.call('zadd', KEYS[4], now + patience, me)
else
    enter(tonumber(ARGV[5]))
end
local head, last, changed = first_alive(is_free)
if not is_free then return -3 - left end
if head == me then
    redis.call('lpop', KEYS[2])
    forget(me)
end
if not head or head == me then return grant() end
wake(head, changed)
return -3 - math.max(0, last - now)
