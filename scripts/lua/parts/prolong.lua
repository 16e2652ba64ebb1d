-- Longer times to live, never shorter ones (rule 4).

-- Makes a key that would expire earlier expire after `lease` ms. PEXPIRE with GT does the same in one call, but Redis
-- 6.2 does not have GT. A key that is missing, or has no time to live, stays as it is. Lease times are far below 1e14
-- ms (src/core/bounds.hpp), so no number is written with an exponent. Returns nil, or the error if the server refuses
-- one of the calls: the user may lack a right.
local function prolong(key, lease)
    local left = redis.pcall('pttl', key)
    if type(left) == 'table' then return left end
    if left < 0 or left >= tonumber(lease) then return nil end
    local done = redis.pcall('pexpire', key, lease)
    return type(done) == 'table' and done or nil
end
