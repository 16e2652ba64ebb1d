-- Deletes a fair lock, although others hold it, and notifies the first waiter.
-- KEYS  lock, queue, timeouts, waiters, priorities
-- ARGV  channel, waiter timeout in ms
-- returns 1: it was held; 0: it was free
-- errors WRONGTYPE: not a lock, nothing changed; or a key of the queue is of another type
-- redis.calls: type, pttl, get (a string) or hlen, hgetall (a hash), time, lindex, del (no waiter); with a waiter also
--   zscore, publish
local kind = redis.call('type', KEYS[1]).ok
if kind == 'none' then return 0 end
-- include holder
-- include one_holder
local found = flaw(kind)
if found then return refuse(found) end
local time = redis.call('time')
local now, waiter_timeout, channel = time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[2]), ARGV[1]
-- include fair_waiter
-- include fair_places
-- include fair_queue

local head = redis.call('lindex', KEYS[2], '0') -- fails before any write if the key is not a list
redis.call('del', KEYS[1])
head = first_alive(true, head)
if head then wake(head, true) end
return 1
