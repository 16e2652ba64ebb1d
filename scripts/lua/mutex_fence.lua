-- Raises the counter of a fenced mutex, if the lock still has this token. It is the second round of a red_lock.
-- KEYS  lock, counter
-- ARGV  token, the value that the counter must reach, time to live of the counter in ms
-- returns 1: the lock has the token, and the counter is at least that value; 0: it does not, nothing changed
-- errors WRONGTYPE: a key is not a string
-- redis.calls: get, get, set (raised); get, get (it is high enough); get (another token)
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
-- include number
-- As in parts/fence.lua, a string that is no number counts as a counter that was lost.
local last = to_number(redis.call('get', KEYS[2]) or '')
if not last or last < tonumber(ARGV[2]) then redis.call('set', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
return 1
