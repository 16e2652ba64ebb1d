-- Releases a read. The last reader deletes the lock and notifies the waiters. Before that the lock remains as long as
-- the longest of the other readers' slots, which are named after the fields (keys of the same hash slot, not in KEYS).
-- KEYS  lock, slot of the reader
-- ARGV  holder, channel, prefix of the slots
-- returns 0: the holder has no field; n > 0: released, n - 1 subscribers received the message (none is sent while
--   others hold the lock)
-- errors WRONGTYPE: the lock is not a hash
-- redis.calls: hdel, pttl, del, hlen, del, publish (the last); hdel, pttl, del, hlen, hget, pttl (one of several); if
--   it was the longest, or its slot is missing, also hgetall, pttl for each slot, pexpire
if redis.call('hdel', KEYS[1], ARGV[1]) == 0 then
    redis.call('del', KEYS[2])
    return 0
end
local mine = redis.call('pttl', KEYS[2])
redis.call('del', KEYS[2])
if redis.call('hlen', KEYS[1]) > 1 then
    if redis.call('hget', KEYS[1], 'mode') == 'write' then return 1 end
    -- Without its slot it is unknown how long this reader kept the lock: it may have been the longest.
    if mine >= 0 and redis.call('pttl', KEYS[1]) > mine then return 1 end
    local longest = 0
    local fields = redis.call('hgetall', KEYS[1])
    for i = 1, #fields, 2 do
        for n = tonumber(fields[i + 1]) or 0, 1, -1 do
            longest = math.max(longest, redis.call('pttl', ARGV[3] .. fields[i] .. ':rwlock_timeout:' .. n))
        end
    end
    if longest > 0 then
        redis.call('pexpire', KEYS[1], longest)
        return 1
    end
end
redis.call('del', KEYS[1])
local receivers = redis.pcall('publish', ARGV[2], '0')
return type(receivers) == 'number' and receivers + 1 or 1
