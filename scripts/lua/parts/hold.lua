-- Writes a lock that is a hash. KEYS[1]: the lock, which is free, or held by the same holder alone.

-- Sets the fields and a time to live. The user may lack the right to PEXPIRE: then the fields are deleted, because a
-- lock without a time to live would be held for ever, and the second call ends the script with the server's error.
local function hold(lease, ...)
    redis.call('hset', KEYS[1], ...)
    if type(redis.pcall('pexpire', KEYS[1], lease)) ~= 'table' then return end
    local removed = redis.pcall('hdel', KEYS[1], ...) -- no field is named like a value
    if type(removed) == 'table' then redis.pcall('unlink', KEYS[1]) end
    redis.call('pexpire', KEYS[1], lease)
end
