-- Takes a free reentrant lock with a fencing token, in one sequence with RedissonFencedLock's. The counter never has a
-- time to live (a plain SET takes away one that it finds): Redisson's INCR would restart at 1 after it ran out.
-- KEYS  lock, counter
-- ARGV  holder, lease in ms
-- returns n > 0: granted, the fencing token; n < 0: busy, -3 - PTTL of the lock (-2: it has no time to live)
-- errors WRONGTYPE: neither a hash nor a string with a time to live
-- redis.calls: pttl, time, set, hset, pexpire (granted); pttl, type (busy)
local left = redis.call('pttl', KEYS[1])
if left ~= -2 then
    local kind = redis.call('type', KEYS[1]).ok
    if kind == 'hash' or (kind == 'string' and left >= 0) then return -3 - left end
    return redis.error_reply('WRONGTYPE the lock is a ' .. kind)
end
local now = redis.call('time')
local fence = now[1] * 1000000 + now[2]
local last = redis.call('set', KEYS[2], string.format('%.0f', fence), 'GET')
if last and tonumber(last) >= fence then
    fence = tonumber(last) + 1
    redis.call('set', KEYS[2], string.format('%.0f', fence))
end
redis.call('hset', KEYS[1], ARGV[1], '1')
redis.call('pexpire', KEYS[1], ARGV[2])
return fence
