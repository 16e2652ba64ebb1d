-- Releases grants of permits, of one semaphore or of several, each as far as its holder still has it, and notifies the
-- waiters. Where a counter was lost nothing is counted, as in permits_release.
-- KEYS  for each semaphore: counter, timeouts
-- ARGV  for each grant: holder, weight, channel (empty: of the same semaphore as the grant before it)
-- returns for each grant 0: the holder has none of it, nothing changed; n > 0: released, n - 1 subscribers received the
--   message
-- errors WRONGTYPE: a counter or the timeouts are of another type; nothing changed then
-- redis.calls for each semaphore: get, zmscore, zrem, incrby, publish; get, zmscore, zrem
--   (the counter was lost); get, zmscore (no holder has any of it); with subscribers one publish for each grant
local now = 0
-- The parts below use the keys of the semaphore at hand.
local keys, KEYS = KEYS, {}
-- include permit_counter
-- include permits
-- include permit_members
-- include permit_scores
local groups, answer = {}, {}

local function use_keys_of(group)
    KEYS[1], KEYS[2] = keys[2 * group.number - 1], keys[2 * group.number]
end

-- Returns the members that the holders of one semaphore still have.
local function members_of(group)
    local members, kept, at = {}, {}, 0
    for i = group.first, group.last do add_members(members, ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1])) end
    local scores = scores_of(members)
    for i = group.first, group.last do
        answer[i] = 0
        for _ = 1, tonumber(ARGV[3 * i - 1]) do
            at = at + 1
            if scores[at] then kept[#kept + 1], answer[i] = members[at], 1 end
        end
    end
    return kept
end

-- One message for each grant, because a client of Redisson wakes one waiter for each. Without subscribers one is enough.
local function notify(group, left)
    for i = group.first, group.last do
        if answer[i] > 0 then
            local receivers = redis.pcall('publish', ARGV[3 * group.first], left)
            if type(receivers) ~= 'number' or receivers == 0 then return end
            answer[i] = receivers + 1
        end
    end
end

-- All members are removed before the counter is raised, in one command. With the last member the key goes; where its hash
-- slot is being moved, a command for a missing key fails, and the permits before it would not be counted.
local function release(group)
    local freed = remove(group.members)
    if freed == 0 or group.is_lost then return end
    local left = redis.call('incrby', KEYS[1], freed)
    if left > 0 then notify(group, left) end
end

for i = 1, #ARGV / 3 do
    if ARGV[3 * i] ~= '' then groups[#groups + 1] = {number = #groups + 1, first = i} end
    groups[#groups].last = i
end
-- All checks before the first write: each grant of a batch that is refused is released again, alone.
for _, group in ipairs(groups) do
    use_keys_of(group)
    local text, _, failed = read_counter()
    if failed then return failed end
    group.is_lost, group.members = not text, members_of(group)
end
for _, group in ipairs(groups) do
    use_keys_of(group)
    release(group)
end
return answer
