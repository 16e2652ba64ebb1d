-- Ends a leadership, although its leader has not resigned. Notifies the next candidate, and the observers.
-- KEYS  lock, queue, timeouts, waiters, priorities, record
-- ARGV  channel, waiter timeout in ms, channel of the observers
-- returns 1: somebody led; 0: nobody
-- errors WRONGTYPE: as fair_force_release
-- redis.calls: those of fair_force_release; if somebody led also del, publish
local channel, waiter_timeout = ARGV[1], tonumber(ARGV[2])
-- include fair_take_away

local was_held = take_away()
if was_held == 1 then
    -- A record that cannot be deleted counts for nothing without the lock.
    redis.pcall('del', KEYS[6])
    redis.pcall('publish', ARGV[3], '0')
end
return was_held
