-- Renews grants of permits, of one semaphore or of several. It never creates a permit and never shortens a longer lease
-- time (rule 4). A permit whose time has passed, but that nobody removed, is still the holder's.
-- KEYS  for each grant: counter, timeouts
-- ARGV  for each grant: holder, weight, lease time in ms
-- returns for each grant 1: the holder has all of it, and it ends after the lease time at the earliest; 0: lost
-- errors WRONGTYPE: the timeouts are of another type; those with which the server refuses a call; the grants before that
--   one are renewed then
-- redis.calls: time, for each grant: zmscore, zadd; for each grant zmscore (lost); for each semaphore that has one of
--   them pttl, pexpire, pexpire or persist
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local keys_of_each = 2
-- include permit_renewal
