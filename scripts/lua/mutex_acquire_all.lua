-- Acquires several mutexes, or none of them. No other contender finds only a part of them held.
-- KEYS  locks
-- ARGV  lease time in ms, for each lock: token
-- returns 0: all granted; {n, PTTL}: the n-th lock is the first that is held
-- errors WRONGTYPE: the n-th lock is neither a mutex nor a string or a hash with a time to live
-- redis.calls: exists, for each lock: set (granted); exists, pttl up to the n-th, type (busy);
--   if it has no time to live also getrange
local call, keys, args = redis.call, KEYS, ARGV
if call('exists', unpack(keys)) == 0 then
    local lease = args[1]
    for i = 1, #keys do
        local done = redis.pcall('set', keys[i], args[i + 1], 'PX', lease)
        if done.err then -- the user may lack the right to this one
            if i > 1 then redis.pcall('unlink', unpack(keys, 1, i - 1)) end
            return done
        end
    end
    return 0
end
-- include mutex_held
for i = 1, #keys do
    local left = call('pttl', keys[i])
    if left ~= -2 then
        local kind = call('type', keys[i]).ok
        if is_held(keys[i], kind, left) then return {i, left} end
        return redis.error_reply('WRONGTYPE the lock is a ' .. kind .. (left < 0 and ' without a time to live' or ''))
    end
end
