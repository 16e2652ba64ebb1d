-- Reads the mark of a waiting writer of a read_write_lock.
-- KEYS  mark of a waiting writer
-- returns {holder, PTTL of the mark}; {}: no writer waits that leaves a mark
-- errors WRONGTYPE: the mark is not a string
-- redis.calls: getrange, pttl
local holder = redis.call('getrange', KEYS[1], 0, 255)
return holder ~= '' and {holder, redis.call('pttl', KEYS[1])} or {}
