-- Renews grants of permits, of one semaphore or of several. It never creates a permit and never shortens a longer lease
-- time (rule 4). A permit whose time has passed, but that nobody removed, is still the holder's.
-- KEYS  for each grant: counter, timeouts
-- ARGV  for each grant: holder, weight, lease time in ms
-- returns for each grant 1: the holder has all of it, and it ends after the lease time at the earliest; 0: lost
-- errors WRONGTYPE: the timeouts are of another type; those with which the server refuses a call; the grants before that
--   one are renewed then
-- redis.calls: time, for each grant: zmscore, zadd; for each grant zmscore (lost); for each semaphore that has one of
--   them pttl, pexpire, pexpire or persist
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- The parts below use the keys of the semaphore at hand.
local keys, KEYS = KEYS, {}
-- include permit_life
-- include permit_members
-- include permit_scores
local kept, prolonged = {}, {}

-- The times to live first: after a first write the server does not refuse ZADD for lack of memory.
local function renew(members, score)
    if not prolonged[KEYS[2]] then prolong_permits() end
    prolonged[KEYS[2]] = true
    for i = 1, #members, 1000 do
        local list = {}
        for j = i, math.min(i + 999, #members) do
            list[#list + 1] = score
            list[#list + 1] = members[j]
        end
        redis.call('zadd', KEYS[2], 'XX', 'GT', unpack(list))
    end
end

for i = 1, #keys / 2 do
    local members, is_whole = {}, true
    KEYS[1], KEYS[2] = keys[2 * i - 1], keys[2 * i]
    add_members(members, ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1]))
    local scores = scores_of(members)
    for j = 1, #members do is_whole = is_whole and scores[j] end
    if is_whole then renew(members, string.format('%.0f', now + ARGV[3 * i] + 10000)) end
    kept[i] = is_whole and 1 or 0
end
return kept
