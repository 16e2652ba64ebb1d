-- Acquires a reentrant lock, if it is free. The client counts re-entries, so the count in the hash is always 1.
-- KEYS  lock
-- ARGV  holder, lease time in ms
-- returns nil: granted; n: busy, PTTL of the lock (-1: it has no time to live)
-- errors WRONGTYPE: the lock is neither a hash nor a string with a time to live
-- redis.calls: pttl, hset, pexpire (granted); pttl, type (busy)
local left = redis.call('pttl', KEYS[1])
if left ~= -2 then
    local kind = redis.call('type', KEYS[1]).ok
    if kind == 'hash' or (kind == 'string' and left >= 0) then return left end
    return redis.error_reply('WRONGTYPE the lock is a ' .. kind .. (left < 0 and ' without a time to live' or ''))
end
-- include hold
hold(ARGV[2], ARGV[1], '1')
return nil
