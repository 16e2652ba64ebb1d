-- Releases a fair lock, or removes a place from its queue, whichever the holder has, and notifies the next waiter.
-- KEYS  lock, queue, timeouts, waiters, priorities
-- ARGV  holder, channel, waiter timeout in ms
-- returns 0: it had neither, nothing changed; 1: the lock was released; 2: a place was removed
-- errors WRONGTYPE: a key of the queue is of another type
-- redis.calls: hdel, lindex (no waiter); hdel, lindex, publish (the next waiter receives the message); hdel, lindex,
--   publish, time, zscore, publish (it does not); hdel, lindex, exists, time, lrem, lindex, unlink or zrem, zrem, hdel,
--   exists (a place is removed); if the lock is free also zscore, publish
local me, channel = ARGV[1], ARGV[2]
-- include fair_end
