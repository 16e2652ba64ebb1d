-- Mutexes that others hold.

-- include holder

-- Whether a key of that type and that PTTL may be a lock. A mutex that has lost its time to live gets one again with
-- the next renewal of its holder.
local function is_held(key, kind, left)
    if left >= 0 then return kind == 'string' or kind == 'hash' end
    return kind == 'string' and is_holder(redis.call('getrange', key, '0', '255'))
end
