-- Acquires a read_write_lock for reading: it is free or held by readers, and no writer waits; or the reader's own write
-- holds it. The lock remains as long as its longest reader, and each reader as long as its slot.
-- KEYS  lock, slot of the reader, mark of a waiting writer (left out: writers wait), mark of waiting readers (left out:
--   readers have no turns)
-- ARGV  holder, lease time in ms, holder of the own write (empty: none), lifetime of the mark of waiting readers in ms
--   (0: none)
-- returns nil: granted; n: busy, PTTL of the key that excludes the reader (-1: it has no time to live), or sooner: when
--   a waiting writer should have come
-- errors WRONGTYPE: the lock is neither a hash nor a string with a time to live
-- redis.calls: hget, pttl, pttl, set, hset, pexpire (granted, the first); hget, pttl, set, hset, pttl, pexpire (granted,
--   a further one); the same without pexpire (the lock expires later already); hget, pttl, getrange,
--   set (busy)
local mode = redis.pcall('hget', KEYS[1], 'mode')
if type(mode) == 'table' then
    local left = redis.call('pttl', KEYS[1])
    local kind = redis.call('type', KEYS[1]).ok
    if kind == 'hash' or kind == 'none' then return mode end -- HGET is not permitted
    if kind == 'string' and left >= 0 then return left end
    return redis.error_reply('WRONGTYPE the lock is a ' .. kind .. (left < 0 and ' without a time to live' or ''))
end
local covered = mode == 'write' and ARGV[3] ~= '' and redis.call('hexists', KEYS[1], ARGV[3]) == 1
local left = -2
if mode ~= 'read' and not covered then left = redis.call('pttl', KEYS[1]) end
if left == -2 and KEYS[3] and not covered then
    left = redis.call('pttl', KEYS[3])
    if left ~= -2 and KEYS[4] and redis.call('getrange', KEYS[4], '0', '255') == 'turn' then left = -2 end
    -- The writer that waits comes when the readers end, at the latest, and its grant may end without a message.
    local rest = left ~= -2 and mode and redis.call('pttl', KEYS[1]) or 200
    if left ~= -2 and rest >= 0 then left = math.min(left, rest) end
end
if left ~= -2 then
    if KEYS[4] and ARGV[4] ~= '0' then
        redis.call('getrange', KEYS[4], '0', '0') -- as in write_acquire
        redis.call('set', KEYS[4], 'wait', 'PX', ARGV[4])
    end
    return left
end
-- include prolong
-- A slot without its field belongs to no reader, and expires; a field without its slot would hold the lock.
redis.call('set', KEYS[2], '1', 'PX', ARGV[2])
if mode then
    redis.call('hset', KEYS[1], ARGV[1], '1')
    -- A lock that has lost its time to live may have readers that remain longer: their renewals restore it.
    local failed = redis.call('pttl', KEYS[1]) ~= -1 and prolong(KEYS[1], ARGV[2]) or nil
    if failed then redis.pcall('hdel', KEYS[1], ARGV[1]) end
    return failed
end
-- include hold
hold(ARGV[2], 'mode', 'read', ARGV[1], '1')
return nil
