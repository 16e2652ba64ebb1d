-- Takes a mutex or reentrant lock away from whoever holds it, and tells the waiters.
-- KEYS  lock
-- ARGV  channel
-- returns 1: it was held; 0: it was free
-- errors WRONGTYPE: not a lock, nothing changed
-- redis.calls: type, del, publish
local kind = redis.call('type', KEYS[1]).ok
if kind == 'none' then return 0 end
if kind ~= 'string' and kind ~= 'hash' then return redis.error_reply('WRONGTYPE the lock is a ' .. kind) end
redis.call('del', KEYS[1])
redis.pcall('publish', ARGV[1], '0')
return 1
