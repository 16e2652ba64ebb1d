-- Releases a reentrant lock, if the holder still has it, and notifies the waiters. The server deletes the hash with its
-- only field.
-- KEYS  lock
-- ARGV  holder, channel
-- returns 0: the holder does not have it, nothing changed; n > 0: released, n - 1 subscribers received the message
-- errors WRONGTYPE: the lock is not a hash
-- redis.calls: hdel, publish
if redis.call('hdel', KEYS[1], ARGV[1]) == 0 then return 0 end
local receivers = redis.pcall('publish', ARGV[2], '0')
return type(receivers) == 'number' and receivers + 1 or 1
