-- Reads the holders of a mutex or a reentrant lock, and how long the lock remains.
-- KEYS  lock
-- returns {PTTL, holder ...}; {-2}: free
-- errors WRONGTYPE: not a lock
-- redis.calls: pttl, type, getrange or hlen, hkeys
local left = redis.call('pttl', KEYS[1])
if left == -2 then return {left} end
local kind = redis.call('type', KEYS[1]).ok
if kind == 'string' then return {left, redis.call('getrange', KEYS[1], 0, 255)} end
if kind ~= 'hash' then return redis.error_reply('WRONGTYPE the lock is a ' .. kind) end
if redis.call('hlen', KEYS[1]) > 1000 then return redis.error_reply('WRONGTYPE the lock is a hash of many fields') end
return {left, unpack(redis.call('hkeys', KEYS[1]))}
