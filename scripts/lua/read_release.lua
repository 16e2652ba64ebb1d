-- Releases a read. The last reader deletes the lock and notifies the waiters. Before that the lock remains as long as
-- the longest of the other readers' slots.
-- KEYS  lock, slot of the reader
-- ARGV  holder, channel, prefix of the slots
-- returns 0: the holder has no field; n > 0: released, n - 1 subscribers received the message (none is sent while
--   others hold the lock)
-- errors WRONGTYPE: the lock is not a hash; the slot is deleted nevertheless; or it has many fields that name no holders
-- redis.calls: hexists, hlen, unlink, publish (the last); hexists, hlen, hget, pttl, pttl, hdel, unlink (one of several); if it
--   was the longest, or its slot is missing, also hlen, hgetall, pttl for the other slots until one is as long, pexpire; of
--   more than a thousand fields also hscan, here and in the other scripts of a read_write_lock
local held = redis.pcall('hexists', KEYS[1], ARGV[1])
if held ~= 1 then
    redis.call('unlink', KEYS[2])
    return held
end
-- include longest_slot
local remains, left = redis.call('hlen', KEYS[1]) > 2, nil
if remains and redis.call('hget', KEYS[1], 'mode') ~= 'write' then
    local mine = redis.call('pttl', KEYS[2])
    local life = redis.call('pttl', KEYS[1])
    -- Before Redis 7.2 the server's clock goes on within a script, which then gives the lock some ms more than the slot
    -- of its longest reader. Without its slot it is unknown how long this reader kept the lock.
    if mine < 0 or life <= mine + 20 then
        local near = life == -1 and math.huge or math.max(life - 20, 1)
        local foreign
        left, foreign = longest_slot(ARGV[3], ARGV[1], near)
        if foreign then return foreign end
        remains = left > 0
        if left >= near then left = nil end
    end
end
if not remains then
    redis.call('unlink', KEYS[1], KEYS[2])
    local receivers = redis.pcall('publish', ARGV[2], '0')
    return type(receivers) == 'number' and receivers + 1 or 1
end
redis.call('hdel', KEYS[1], ARGV[1])
redis.call('unlink', KEYS[2])
if left then redis.call('pexpire', KEYS[1], left) end
return 1
