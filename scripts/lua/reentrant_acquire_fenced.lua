-- Acquires a reentrant lock, if it is free, and makes a fencing token. The tokens of Holdfast and of RedissonFencedLock
-- are one sequence. The counter never has a time to live, and a plain SET removes one that exists: Redisson's INCR
-- would restart at 1 after the counter had expired.
-- KEYS  lock, counter
-- ARGV  holder, lease time in ms
-- returns n > 0: granted, the fencing token; n < 0: busy, -3 - PTTL of the lock (-2: it has no time to live)
-- errors WRONGTYPE: the lock is neither a hash nor a string with a time to live, or the counter is not a number
--   below 2^53; nothing changed
-- redis.calls: pttl, getrange, time, set, hset, pexpire (granted); pttl, type (busy); if the counter is missing also exists
local left = redis.call('pttl', KEYS[1])
if left ~= -2 then
    local kind = redis.call('type', KEYS[1]).ok
    if kind == 'hash' or (kind == 'string' and left >= 0) then return -3 - left end
    return redis.error_reply('WRONGTYPE the lock is a ' .. kind .. (left < 0 and ' without a time to live' or ''))
end
-- include fence
local fence, failed = raise(KEYS[2])
if failed then return failed end
-- include hold
hold(ARGV[2], ARGV[1], '1')
return fence
