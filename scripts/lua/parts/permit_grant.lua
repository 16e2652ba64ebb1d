-- Grants of permits. Needs above it: permit_life, `now` (the server's time in ms).

-- include permit_write

-- Writes members with their end, after the counter was lowered by `taken`. A repetition finds some of them there, and
-- gets back what it took for these. Returns how many were added, or nil and the error: what was not added is free again
-- then.
local function write_members(members, lease, taken)
    -- As in parts/permits.lua: the score is 10 s after the end.
    local added, failed = write_scores(members, now + lease + 10000)
    if added < taken then redis.call('incrby', KEYS[1], taken - added) end
    if failed then return nil, failed end
    prolong_permits()
    return added, nil
end
