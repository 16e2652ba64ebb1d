-- Releases a read. The last reader deletes the lock and notifies the waiters. Before that the lock remains as long as
-- the longest of the other readers' slots.
-- KEYS  lock, slot of the reader
-- ARGV  holder, channel, prefix of the slots
-- returns 0: the holder has no field; n > 0: released, n - 1 subscribers received the message (none is sent while
--   others hold the lock)
-- errors WRONGTYPE: the lock is not a hash; the slot is deleted nevertheless
-- redis.calls: hexists, hlen, del, publish (the last); hexists, hlen, hget, pttl, pttl, hdel, del (one of several); if it
--   was the longest, or its slot is missing, also hgetall, pttl for each other slot, pexpire
local held = redis.pcall('hexists', KEYS[1], ARGV[1])
if held ~= 1 then
    redis.call('del', KEYS[2])
    return held
end
-- include longest_slot
local remains, left = redis.call('hlen', KEYS[1]) > 2, nil
if remains and redis.call('hget', KEYS[1], 'mode') ~= 'write' then
    local mine = redis.call('pttl', KEYS[2])
    -- Without its slot it is unknown how long this reader kept the lock: it may have been the longest.
    if mine < 0 or redis.call('pttl', KEYS[1]) <= mine then
        left = longest_slot(ARGV[3], ARGV[1])
        remains = left > 0
    end
end
if not remains then
    redis.call('del', KEYS[1], KEYS[2])
    local receivers = redis.pcall('publish', ARGV[2], '0')
    return type(receivers) == 'number' and receivers + 1 or 1
end
redis.call('hdel', KEYS[1], ARGV[1])
redis.call('del', KEYS[2])
if left then redis.call('pexpire', KEYS[1], left) end
return 1
