-- Renews grants of permits. Needs above it: `now` (the server's time in ms), and `keys_of_each`: how many of KEYS each
-- grant has, namely counter, timeouts, and with 3 the numbers. Returns what the script returns.
-- The parts below use the keys of the semaphore at hand.
local keys, KEYS = KEYS, {}
-- include permit_life
-- include permit_members
-- include permit_scores
-- include permit_write
-- include number
local kept, prolonged = {}, {}

-- The times to live first: after a first write the server does not refuse ZADD for lack of memory. Returns the error of a
-- refused call, if any.
local function renew(members, score)
    if not prolonged[KEYS[2]] then
        prolong_permits()
        if KEYS[3] then redis.call('pexpire', KEYS[3], one_day) end
    end
    prolonged[KEYS[2]] = true
    local _, failed = write_scores(members, score, 'XX', 'GT')
    return failed
end

for i = 1, #keys / keys_of_each do
    local members, is_whole = {}, true
    for j = 1, keys_of_each do KEYS[j] = keys[keys_of_each * (i - 1) + j] end
    add_members(members, ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1]))
    local scores = scores_of(members)
    for j = 1, #members do is_whole = is_whole and scores[j] end
    if is_whole and KEYS[3] then is_whole = to_number(redis.call('hget', KEYS[3], members[1]) or '') end
    local failed = is_whole and renew(members, now + ARGV[3 * i] + 10000)
    if failed then return failed end
    kept[i] = is_whole and 1 or 0
end
return kept
