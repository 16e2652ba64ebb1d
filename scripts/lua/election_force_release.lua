-- Ends a leadership, although its leader has not resigned. Notifies the next candidate, and the observers. The record stays:
-- without the lock it counts for nothing, and it tells the next leader that this one did not resign.
-- KEYS  lock, queue, timeouts, waiters, priorities
-- ARGV  channel, waiter timeout in ms, channel of the observers
-- returns 1: somebody led; 0: nobody
-- errors WRONGTYPE: as fair_force_release
-- redis.calls: those of fair_force_release; if somebody led also publish
local channel, waiter_timeout = ARGV[1], tonumber(ARGV[2])
-- include fair_take_away

local was_held = take_away()
if was_held == 1 then redis.pcall('publish', ARGV[3], '0') end
return was_held
