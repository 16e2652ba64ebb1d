-- Acquires a mutex as SET NX PX does, and makes a fencing token that is greater than every earlier one of this lock,
-- also after the counter was lost.
-- KEYS  lock, counter
-- ARGV  token, lease time in ms, time to live of the counter in ms
-- returns n > 0: granted, the fencing token; n < 0: busy, -3 - PTTL of the lock (-2: it has lost its time to live)
-- errors WRONGTYPE: the lock is neither a mutex nor a string or a hash with a time to live, or the counter is not a number
--   below 2^53; nothing changed
-- redis.calls: set, getrange, time, set (granted); set, pttl, type (busy); if the counter is missing also
--   exists; if the lock has no time to live also getrange
if not redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
-- include mutex_held
    local left = redis.call('pttl', KEYS[1])
    local kind = redis.call('type', KEYS[1]).ok
    if is_held(KEYS[1], kind, left) then return -3 - left end
    return redis.error_reply('WRONGTYPE the lock is a ' .. kind .. (left < 0 and ' without a time to live' or ''))
end
-- include fence
local fence, failed = raise(KEYS[2], 'PX', ARGV[3])
if failed then
    redis.pcall('unlink', KEYS[1])
    return failed
end
return fence
