-- Releases a reentrant lock after a time, if the holder still has it: until then it stays locked, and only its field
-- tells who held it. Notifies the waiters, which learn the new time to live.
-- KEYS  lock
-- ARGV  holder, channel, time in ms until it ends, at least 1
-- returns 0: the holder does not have it, nothing changed; n > 0: it ends after that time, n - 1 subscribers received
--   the message
-- errors WRONGTYPE: the lock is not a hash
-- redis.calls: hexists, pexpire, publish
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('pexpire', KEYS[1], ARGV[3])
local receivers = redis.pcall('publish', ARGV[2], '0')
return type(receivers) == 'number' and receivers + 1 or 1
