-- Writes a lock that is a hash. KEYS[1]: the lock, which is free, or held by the same holder alone.

-- The fields get a time to live, or they go again: a lock without one would be held for ever. The user may lack the right
-- to PEXPIRE; the second call is to fail with those words.
local function hold(lease, ...)
    redis.call('hset', KEYS[1], ...)
    if type(redis.pcall('pexpire', KEYS[1], lease)) ~= 'table' then return end
    local gone = redis.pcall('hdel', KEYS[1], ...) -- no field is named like a value
    if type(gone) == 'table' then redis.pcall('del', KEYS[1]) end
    redis.call('pexpire', KEYS[1], lease)
end
