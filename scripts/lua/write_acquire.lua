-- Takes a read_write_lock for writing: it is free, or of its readers none is alive, and the waiting readers have no turn.
-- A refused writer that waits leaves its mark: the newest stays. Readers' slots are named after the fields (keys of the
-- same hash slot, not in KEYS).
-- KEYS  lock, mark of a waiting writer, mark of waiting readers, counter (left out: not fenced)
-- ARGV  holder, lease in ms, prefix of the slots, lifetime of the writer's mark in ms (0: none), lifetime of the counter in ms
-- returns n >= 0: granted, the fencing token or 0; n < 0: busy, -3 - PTTL of what is in the way (-2: it has none)
-- errors WRONGTYPE: neither a hash nor a string with a time to live
-- redis.calls: pttl, get, get, hset, pexpire (granted), time, set (fenced); pttl, hget, set (busy), hgetall, exists for
-- redis.calls each slot until one is alive (held by readers)
local left = redis.call('pttl', KEYS[1])
if left ~= -2 then
    local mode = redis.pcall('hget', KEYS[1], 'mode')
    if type(mode) == 'table' then
        local kind = redis.call('type', KEYS[1]).ok
        if kind ~= 'string' or left < 0 then return redis.error_reply('WRONGTYPE the lock is a ' .. kind) end
    elseif mode == 'read' then
        local alive = false
        local fields = redis.call('hgetall', KEYS[1])
        for i = 1, #fields, 2 do
            for n = tonumber(fields[i + 1]) or 0, 1, -1 do
                alive = alive or redis.call('exists', ARGV[3] .. fields[i] .. ':rwlock_timeout:' .. n) == 1
            end
        end
        if not alive then
            redis.call('del', KEYS[1])
            left = -2
        end
    end
end
if left == -2 and redis.call('get', KEYS[3]) == 'turn' then left = redis.call('pttl', KEYS[3]) end
if left ~= -2 then
    if ARGV[4] ~= '0' then redis.call('set', KEYS[2], ARGV[1], 'PX', ARGV[4]) end
    return -3 - left
end
local fence = 0
if KEYS[4] then
    local now = redis.call('time')
    fence = now[1] * 1000000 + now[2]
    local last = redis.call('set', KEYS[4], string.format('%.0f', fence), 'PX', ARGV[5], 'GET')
    if last and tonumber(last) >= fence then
        fence = tonumber(last) + 1
        redis.call('set', KEYS[4], string.format('%.0f', fence), 'PX', ARGV[5])
    end
end
if redis.call('get', KEYS[2]) == ARGV[1] then redis.call('del', KEYS[2]) end
redis.call('hset', KEYS[1], 'mode', 'write', ARGV[1], '1')
redis.call('pexpire', KEYS[1], ARGV[2])
return fence
