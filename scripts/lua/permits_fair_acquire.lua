-- Grants permits of a fair semaphore, if enough are free and no waiter is ahead; otherwise enters the queue, or keeps
-- the place that the holder has. The first waiter is waited for, whatever its weight. It may be sent again with the same
-- holder after an unknown outcome: it then finds the place, or the grant, whose end it sets again.
-- KEYS  counter, timeouts, queue, waiters
-- ARGV  lease time in ms, permits to create it with (0: never), its time to live in ms (0: none), channel, holder,
--   weight, waiter timeout in ms, whether it enters the queue (1; 0: one attempt)
-- returns nil: granted; {0, t, total}: busy; t is the time in ms after which enough permits will have ended for the
--   first waiter or, if it can have them already, after which the waiters look again (-1: unknown; -2: the holder asks
--   for more than there are, and gets no place); total is the number of permits, free and held (-1: no semaphore)
-- errors WRONGTYPE: the counter is not a number, or another key is of another type
-- redis.calls: time, getrange, exists, decrby, zadd, pttl, pexpire, pexpire or persist, zrange (granted, no waiter);
--   time, getrange, exists, zrange, zrem, zrem, exists, decrby, zadd, pttl, pexpire, pexpire or persist, zrange (the
--   holder is the first waiter); time, getrange, exists, zrange, zscore, zrangebyscore, zcard, zscore, zscore, zadd,
--   zrange, zadd, zrange, zscore, zrange (enters the queue); if it has a place or starts the queue also pexpire,
--   pexpire; if permits had expired also zrem, incrby, publish; if it is created also set, publish; to notify the next
--   waiter also publish
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- include permit_counter
local text, left, failed = read_counter()
if failed then return failed end
local me, weight, channel, waiter_timeout = ARGV[5], tonumber(ARGV[6]), ARGV[4], tonumber(ARGV[7])
-- include permit_life
-- include permit_members
-- include permit_grant
-- include permits
-- include permit_settle
-- include fair_waiter
-- include fair_signs
-- include permit_queue

local members = {}
add_members(members, me, weight)

-- The counter before the members, as in permits_acquire. A grant that leaves enough for the next waiter notifies it, and
-- so does one that ends before the next waiter would look, as in fair_attempt.
local function grant()
    left = redis.call('decrby', KEYS[1], weight)
    local added, refused = write_members(members, ARGV[1], weight)
    if refused then return refused end
    left = left + weight - added
    local head, wanted = front()
    if head and (left >= wanted or 3 * ARGV[1] < waiter_timeout) then notify(head) end
    return nil
end

local is_queue = redis.call('exists', KEYS[3]) == 1
if left and left >= weight and not is_queue then return grant() end

-- A holder that has a place leaves it first: as in fair_acquire, because of the memory.
if left and left >= weight and front() == me then
    forget(me)
    return grant()
end

-- The reply to an earlier attempt was lost. Where the counter was lost nothing is counted.
local last = redis.call('zscore', KEYS[2], me)
if last and end_of(me, last) > now then
    if text then return grant() end
    local _, refused = write_members(members, ARGV[1], 0)
    return refused
end

local foreign = flaw_of_timeouts()
if foreign then return foreign end
local over, held = expired(), redis.call('zcard', KEYS[2])
local is_known = text or ARGV[2] ~= '0'
left = (left or ARGV[2] - held) + #over
local total = is_known and left - #over + held or math.huge

local function enter()
    local is_placed = redis.call('zscore', KEYS[3], me)
    if is_placed then keep() end
    record_signs({now + waiter_timeout, me}, not is_queue)
    if is_placed then return end
    local tail = redis.call('zrange', KEYS[3], '-1', '-1', 'WITHSCORES')
    local place = tail[1] and math.floor(tail[2] / 4096) + 1 or 1
    redis.call('zadd', KEYS[3], place * 4096 + weight, me)
    if not is_queue then set_life(KEYS[3]) end
end

if weight > total then
    forget(me)
elseif ARGV[8] == '1' then
    enter()
end
local head, wanted, alive_until, changed = first_served(total, left, 1000)
if not is_known then return {0, -1, -1} end

local is_mine = (not head or head == me) and left >= weight
if is_mine and head then forget(me) end
remove(over)
settle(text, left, #over, ARGV[3])
if is_mine then
    local refused = grant()
    if refused then return refused end
end
if (#over > 0 or not text) and left > 0 then redis.pcall('publish', channel, left) end
if is_mine then return nil end
if head and left >= wanted then
    wake(head, changed or #over > 0 or not text or weight > total)
    return {0, weight > total and -2 or look_again(alive_until, now), total}
end
return {0, weight > total and -2 or time_until((wanted or weight) - left), total}
