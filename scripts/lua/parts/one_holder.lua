-- Needs above it: holder.

-- Why the value of KEYS[1] is not a lock of one holder; nil: it is one.
local function flaw(kind)
    if kind ~= 'string' and kind ~= 'hash' then return kind end
    if redis.call('pttl', KEYS[1]) < 0 then return kind .. ' without a time to live' end
    if kind == 'string' then
        return not is_holder(redis.call('get', KEYS[1])) and 'string that is no token' or nil
    end
    local pair = redis.call('hlen', KEYS[1]) == 1 and redis.call('hgetall', KEYS[1])
    return not (pair and is_holder(pair[1]) and is_count(pair[2])) and 'hash that names no holder' or nil
end
