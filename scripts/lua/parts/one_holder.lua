-- Needs above it: holder.

-- Why the value of KEYS[1] is not a lock of one holder; nil: it is one. A lock that has lost its time to live is one, too.
local function flaw(kind)
    if kind ~= 'string' and kind ~= 'hash' then return kind end
    local found
    if kind == 'string' then
        found = not is_holder(redis.call('getrange', KEYS[1], 0, 255)) and 'string that is no token'
    else
        local pair = redis.call('hlen', KEYS[1]) == 1 and redis.call('hgetall', KEYS[1])
        found = not (pair and is_holder(pair[1]) and is_count(pair[2])) and 'hash that names no holder'
    end
    if not found then return nil end
    return redis.call('pttl', KEYS[1]) < 0 and kind .. ' without a time to live' or found
end
