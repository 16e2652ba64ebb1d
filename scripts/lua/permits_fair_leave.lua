-- Releases a grant of a fair semaphore, as far as the holder still has it, or removes a place from its queue, whichever
-- the holder has, and notifies the first waiter. Where the counter was lost nothing is counted, as in permits_release.
-- KEYS  counter, timeouts, queue, waiters
-- ARGV  holder, weight, channel, waiter timeout in ms
-- returns 0: it had neither, nothing changed; 1: permits were released; 2: a place was removed
-- errors WRONGTYPE: the counter is not a number, or another key is of another type
-- redis.calls: getrange, exists, zrem, incrby, publish (no waiter); getrange, exists, zrange, zscore, zrem, incrby,
--   publish, publish (the first waiter receives the message); besides time, zcard, zscore, zrangebyscore (it does not,
--   or asks for more); getrange, exists, zrange, zscore, zrem, zrem, zrem, exists, zrange (a place is removed); if it
--   was the first also time, zcard, zscore, zrangebyscore, publish
local now = 0
-- include permit_counter
local text, left, failed = read_counter()
if failed then return failed end
local me, channel, waiter_timeout = ARGV[1], ARGV[3], tonumber(ARGV[4])
-- include permits
-- include permit_members
-- include fair_waiter
-- include permit_queue

-- Reads first: a key of another type ends the script before it writes.
local head, wanted, place = nil, nil, nil
if redis.call('exists', KEYS[3]) == 1 then
    head, wanted = front()
    place = redis.call('zscore', KEYS[3], me)
end

local members = {}
add_members(members, me, tonumber(ARGV[2]))
local freed = remove(members)
if freed > 0 and text then
    left = redis.call('incrby', KEYS[1], freed)
    -- As in permits_release: Redisson's clients throw at a number below 1.
    if left > 0 then redis.pcall('publish', channel, left) end
end
if place then forget(me) end
local had = freed > 0 and 1 or place and 2 or 0
local is_first = head == me
if not head or had == 0 or (had == 2 and not is_first) then return had end

-- A waiter that receives the message counts as alive, as in fair_leave.
if not is_first and left and left >= wanted and notify(head) then return had end
local time = redis.call('time')
now = time[1] * 1000 + math.floor(time[2] / 1000)
local total, free = math.huge, math.huge
if left then total, free = left + redis.call('zcard', KEYS[2]), left + #expired() end
-- It notifies the waiter that it finds. If the counter was lost, that one creates it again.
first_served(total, free, 0)
return had
