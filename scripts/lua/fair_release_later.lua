-- Releases a fair lock after a time, if the holder still has it: until then it stays locked, and only its field tells
-- who held it. Notifies the first waiter, whose next attempt learns the new time to live. The queue stays as it is.
-- KEYS  lock, queue
-- ARGV  holder, channel, time in ms until it ends, at least 1
-- returns 0: the holder does not have it, nothing changed; n > 0: it ends after that time, n - 1 subscribers received
--   the message
-- errors WRONGTYPE: the lock is not a hash, or the queue is not a list
-- redis.calls: hexists, lindex, pexpire (no waiter); hexists, lindex, pexpire, publish
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
local head = redis.call('lindex', KEYS[2], '0')
redis.call('pexpire', KEYS[1], ARGV[3])
local receivers = head and redis.pcall('publish', ARGV[2] .. ':' .. head, '0')
return type(receivers) == 'number' and receivers + 1 or 1
