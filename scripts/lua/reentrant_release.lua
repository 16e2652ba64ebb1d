-- Releases a reentrant lock if it is still ours (deleting its only field deletes the hash), and tells the waiters.
-- KEYS  lock
-- ARGV  holder, channel
-- returns 0: not ours, nothing changed; n > 0: released, the message reached n - 1 subscribers
-- redis.calls: hdel, publish
if redis.call('hdel', KEYS[1], ARGV[1]) == 0 then return 0 end
local heard = redis.pcall('publish', ARGV[2], '0')
return type(heard) == 'number' and heard + 1 or 1
