-- Deletes a mutex or a reentrant lock, although others hold it, and notifies the waiters. The two kinds exclude each
-- other under one name, so the script deletes either of them.
-- KEYS  lock
-- ARGV  channel
-- returns 1: it was held; 0: it was free
-- errors WRONGTYPE: not a lock, nothing changed
-- redis.calls: type, getrange (a string) or hlen, hgetall (a hash), unlink, publish
local kind = redis.call('type', KEYS[1]).ok
if kind == 'none' then return 0 end
-- include holder
-- include one_holder
local found = flaw(kind)
if found then return refuse(found) end
redis.call('unlink', KEYS[1])
redis.pcall('publish', ARGV[1], '0')
return 1
