-- Raises the counter of a fenced mutex, if the lock is still ours: the second round of a red_lock.
-- KEYS  lock, counter
-- ARGV  token, the least that the counter is to be, time to live of the counter in ms
-- returns 1: ours, the counter is at least that; 0: not ours, nothing changed
-- errors WRONGTYPE: not a string
-- redis.calls: get, get, set (raised); get, get (it is as great); get (not ours)
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
local last = redis.call('get', KEYS[2])
if not last or tonumber(last) < tonumber(ARGV[2]) then redis.call('set', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
return 1
