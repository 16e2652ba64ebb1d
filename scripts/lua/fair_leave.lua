-- Gives back a fair lock, or a place in its queue, whichever the holder has, and tells the next one.
-- KEYS  lock, queue, timeouts, waiters, priorities
-- ARGV  holder, channel, waiter timeout in ms
-- returns 0: it had neither, nothing changed; 1: the lock was released; 2: a place was given up
-- errors WRONGTYPE: a key of the queue is no queue
-- redis.calls: hdel, exists (nobody waits); hdel, exists, time, exists, lindex, zscore, zscore, zadd, publish
local me = ARGV[1]
local had = redis.pcall('hdel', KEYS[1], me)
if had ~= 1 then had = 0 end
if redis.call('exists', KEYS[2], KEYS[3]) == 0 then return had end

local time = redis.call('time')
local now, patience, channel = time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[3]), ARGV[2]
-- include fair_queue

local was_first = false
if had == 0 then
    was_first = redis.call('lindex', KEYS[2], 0) == me
    if redis.call('lrem', KEYS[2], 1, me) == 1 then had = 2 end
    forget(me)
end
local is_free = redis.call('exists', KEYS[1]) == 0
local head, _, changed
if is_free then
    head, _, changed = first_alive(true)
else
    head = redis.call('lindex', KEYS[2], 0)
end
if head and not is_ours(head) then keep(true) end -- perhaps none of ours is left to do that
if head and is_free then wake(head, changed or was_first or had == 1) end
return had
