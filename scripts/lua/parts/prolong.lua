-- Longer times to live, never shorter ones (rule 4).

-- Makes a key that would expire earlier expire after `lease` ms. PEXPIRE with GT does the same in one call, but Redis
-- 6.2 does not have GT. A key that is missing stays as it is. One that
-- has lost its time to live gets the lease time: a lock without one would be held for ever after its holder has died. Lease times are far below 1e14
-- ms (src/core/bounds.hpp), so no number is written with an exponent. Returns nil, or the error if the server refuses
-- one of the calls: the user may lack a right.
local function prolong(key, lease)
    local left = redis.pcall('pttl', key)
    if type(left) == 'table' then return left end
    if left == -2 or left >= tonumber(lease) then return nil end
    local done = redis.pcall('pexpire', key, lease)
    return type(done) == 'table' and done or nil
end
