-- Releases a write, or removes the mark of a writer that waits no more, and notifies the waiters. Reads of the same
-- owner remain: then the lock remains as long as the longest of their slots, which are named after the fields (keys of
-- the same hash slot, not in KEYS). Readers that waited have a turn before the next writer.
-- KEYS  lock, mark of a waiting writer, mark of waiting readers
-- ARGV  holder, channel, prefix of the slots, length of the readers' turn in ms (0: none)
-- returns 0: the holder did not hold it; n > 0: released, n - 1 subscribers received the message
-- errors WRONGTYPE: the lock is not a hash, or the mark of a waiting writer is not a string
-- redis.calls: hdel, get, hlen, del, exists, publish; with reads of the same owner: hdel, get, hlen, hset, hgetall,
--   pttl for each slot, pexpire, exists, publish; for readers that waited also set
local held = redis.call('hdel', KEYS[1], ARGV[1]) == 1
local waited = redis.call('get', KEYS[2]) == ARGV[1]
if not held and not waited then return 0 end
if waited then redis.call('del', KEYS[2]) end
if held then
    local longest = 0
    if redis.call('hlen', KEYS[1]) > 1 then
        local fields = redis.call('hgetall', KEYS[1])
        for i = 1, #fields, 2 do
            for n = tonumber(fields[i + 1]) or 0, 1, -1 do
                longest = math.max(longest, redis.call('pttl', ARGV[3] .. fields[i] .. ':rwlock_timeout:' .. n))
            end
        end
    end
    if longest > 0 then
        redis.call('hset', KEYS[1], 'mode', 'read')
        redis.call('pexpire', KEYS[1], longest)
    else
        redis.call('del', KEYS[1])
    end
    if ARGV[4] ~= '0' and redis.call('exists', KEYS[3]) == 1 then redis.call('set', KEYS[3], 'turn', 'PX', ARGV[4]) end
end
local receivers = redis.pcall('publish', ARGV[2], '1')
if not held then return 0 end
return type(receivers) == 'number' and receivers + 1 or 1
