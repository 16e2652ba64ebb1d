-- Releases a mutex, if it still has this token, and notifies the waiters.
-- KEYS  lock
-- ARGV  token, channel
-- returns 0: another token or no key, nothing changed; n > 0: released, n - 1 subscribers received the message
-- errors WRONGTYPE: the lock is not a string
-- redis.calls: getrange, unlink, publish
-- Source: compare-and-delete, "Distributed Locks with Redis", redis.io.
if redis.call('getrange', KEYS[1], '0', '255') ~= ARGV[1] then return 0 end
redis.call('unlink', KEYS[1])
local receivers = redis.pcall('publish', ARGV[2], '0')
return type(receivers) == 'number' and receivers + 1 or 1
