-- Grants of permits. Needs above it: permit_members, permit_life, `now` (the server's time in ms).

-- Writes members with their end, after the counter was lowered by `taken`. A repetition finds some of them there, and
-- gets back what it took for these. Returns how many were added, or nil and the error: what was not added is free again
-- then.
local function write_members(members, lease, taken)
    -- As in parts/permits.lua: the score is 10 s after the end.
    local score, added, failed = now + lease + 10000, 0, nil
    for i = 1, #members, 1000 do
        local pairs_of = {}
        for j = i, math.min(i + 999, #members) do
            pairs_of[#pairs_of + 1] = score
            pairs_of[#pairs_of + 1] = members[j]
        end
        local done = redis.pcall('zadd', KEYS[2], unpack(pairs_of))
        if type(done) == 'table' then
            failed = done
            break
        end
        added = added + done
    end
    if added < taken then redis.call('incrby', KEYS[1], taken - added) end
    if failed then return nil, failed end
    prolong_permits()
    return added, nil
end
