-- Deletes a fair lock, although others hold it, and notifies the first waiter.
-- KEYS  lock, queue, timeouts, waiters, priorities
-- ARGV  channel, waiter timeout in ms
-- returns 1: it was held; 0: it was free
-- errors WRONGTYPE: not a lock, nothing changed; or a key of the queue is of another type
-- redis.calls: time, type, getrange (a string) or hlen, hgetall (a hash), lindex, unlink (no waiter); with a waiter also
--   zscore, publish
local channel, waiter_timeout = ARGV[1], tonumber(ARGV[2])
-- include fair_take_away

return take_away()
