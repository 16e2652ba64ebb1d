-- Acquires a read_write_lock for writing: it is free, or none of its readers is alive, and the waiting readers have no
-- turn. A refused writer that waits sets its mark; of several marks the newest remains. The slots of readers are named
-- after the fields (keys of the same hash slot, not in KEYS).
-- KEYS  lock, mark of a waiting writer, mark of waiting readers, counter (left out: not fenced)
-- ARGV  holder, lease time in ms, prefix of the slots, lifetime of the writer's mark in ms (0: none), time to live of
--   the counter in ms
-- returns n >= 0: granted, the fencing token or 0; n < 0: busy, -3 - PTTL of the key that excludes the writer (-2: it
--   has no time to live)
-- errors WRONGTYPE: the lock is neither a hash nor a string with a time to live, a mark is not a string, or the
--   counter is not a number below 2^53
-- redis.calls: pttl, getrange, getrange, hset, pexpire (granted), getrange, time, set (fenced), exists (the counter is
--   missing); pttl, hget, getrange, set (busy), hlen, hgetall, exists for each slot until one is alive (held by readers), unlink
--   (none is), unlink (its own mark)
local left, are_dead = redis.call('pttl', KEYS[1]), false
-- include slot_numbers
-- include reader_fields
if left ~= -2 then
    local mode = redis.pcall('hget', KEYS[1], 'mode')
    if type(mode) == 'table' then
        local kind = redis.call('type', KEYS[1]).ok
        if kind == 'hash' then return mode end -- HGET is not permitted
        if kind ~= 'string' or left < 0 then
            return redis.error_reply('WRONGTYPE the lock is a ' .. kind .. (left < 0 and ' without a time to live' or ''))
        end
    elseif mode == 'read' then
        local alive = false
        local fields, foreign = fields_of_lock()
        if foreign then return foreign end
        for i = 1, #fields, 2 do
            local last, first = slot_numbers(fields[i + 1])
            for n = last, first, -1 do
                alive = alive or redis.call('exists', ARGV[3] .. fields[i] .. ':rwlock_timeout:' .. n) == 1
            end
        end
        if not alive then left, are_dead = -2, true end
    end
end
if left == -2 and redis.call('getrange', KEYS[3], '0', '255') == 'turn' then left = redis.call('pttl', KEYS[3]) end
if left ~= -2 then
    if ARGV[4] ~= '0' then
        redis.call('getrange', KEYS[2], '0', '0') -- an error, if it is other data: SET would free that at once
        redis.call('set', KEYS[2], ARGV[1], 'PX', ARGV[4])
    end
    return -3 - left
end
local is_marked = redis.call('getrange', KEYS[2], '0', '255') == ARGV[1]
-- include fence
local fence, failed = 0, nil
if KEYS[4] then fence, failed = raise(KEYS[4], 'PX', ARGV[5]) end
if failed then return failed end
if is_marked then redis.call('unlink', KEYS[2]) end
if are_dead then redis.call('unlink', KEYS[1]) end
-- include hold
hold(ARGV[2], 'mode', 'write', ARGV[1], '1')
return fence
