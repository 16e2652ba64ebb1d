-- Raises the counter of a fenced mutex, if the lock still has this token. It is the second round of a red_lock.
-- KEYS  lock, counter
-- ARGV  token, the value that the counter must reach, time to live of the counter in ms
-- returns 1: the lock has the token, and the counter is at least that value; 0: it does not, nothing changed
-- errors WRONGTYPE: a key is not a string, or the counter is not a number below 2^53; nothing changed
-- redis.calls: getrange, getrange, set (raised); getrange, getrange (it is high enough); getrange (another token); if the
--   counter is missing also exists
if redis.call('getrange', KEYS[1], '0', '255') ~= ARGV[1] then return 0 end
-- include fence
local last, failed = last_fence(KEYS[2])
if failed then return failed end
if last < tonumber(ARGV[2]) then redis.call('set', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
return 1
