-- SET NX PX with a fencing token: greater than every earlier one of this lock, also after the counter was lost.
-- KEYS  lock, counter
-- ARGV  token, lease in ms, time to live of the counter in ms
-- returns n > 0: granted, the fencing token; n < 0: busy, -3 - PTTL of the lock (-2: it has no time to live)
-- errors WRONGTYPE: neither a string nor a hash with a time to live
-- redis.calls: set, time, set (granted); set, pttl, type (busy)
if not redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
    local left = redis.call('pttl', KEYS[1])
    local kind = redis.call('type', KEYS[1]).ok
    if kind == 'string' or (kind == 'hash' and left >= 0) then return -3 - left end
    return redis.error_reply('WRONGTYPE the lock is a ' .. kind)
end
local now = redis.call('time')
local fence = now[1] * 1000000 + now[2]
local last = redis.call('set', KEYS[2], string.format('%.0f', fence), 'PX', ARGV[3], 'GET')
if last and tonumber(last) >= fence then
    fence = tonumber(last) + 1
    redis.call('set', KEYS[2], string.format('%.0f', fence), 'PX', ARGV[3])
end
return fence
