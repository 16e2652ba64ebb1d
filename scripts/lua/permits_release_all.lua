-- Releases grants of permits, of one semaphore or of several, each as far as its holder still has it, and notifies the
-- waiters. Where a counter was lost nothing is counted, as in permits_release.
-- KEYS  for each semaphore: counter, timeouts, waiting
-- ARGV  for each grant: holder, weight, channel (empty: of the same semaphore as the grant before it)
-- returns for each grant 0: the holder has none of it, nothing changed; n > 0: released, n - 1 subscribers received the
--   message
-- errors WRONGTYPE: a counter or the timeouts are of another type; nothing changed then
-- redis.calls for each semaphore: getrange, zmscore, zrem, incrby, publish, zrange; getrange, exists, zmscore, zrem
--   (the counter was lost); getrange, zmscore (no holder has any of it); with subscribers one publish for each grant;
--   for each holder that has none of it zrem, and then zrange; notified clients as in permits_release
local now = 0
-- The parts below use the keys of the semaphore at hand.
local keys, KEYS = KEYS, {}
-- include permit_counter
-- include permits
-- include permit_members
-- include permit_scores
-- include permit_waiting
-- include permit_wake
local groups, answer = {}, {}

local function use_keys_of(group)
    for i = 1, 3 do KEYS[i] = keys[3 * (group.number - 1) + i] end
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
    local channel, receivers = ARGV[3 * group.first], 1
    for i = group.first, group.last do
        if answer[i] > 0 and receivers ~= 0 then
            receivers = redis.pcall('publish', channel, left)
            receivers = type(receivers) == 'number' and receivers or 0
            answer[i] = answer[i] + receivers
        end
    end
end

-- Holders that have none of their grants do not wait any more. Returns how many permits those asked for that a message had
-- reached already, and how many those that still waited.
local function end_waits(group)
    local notified, waited = 0, 0
    for i = group.first, group.last do
        if answer[i] == 0 then
            if stop_waiting(ARGV[3 * i - 2]) then
                waited = waited + ARGV[3 * i - 1]
            else
                notified = notified + ARGV[3 * i - 1]
            end
        end
    end
    return notified, waited
end

-- All members are removed before the counter is raised, in one command. With the last member the key goes; where its hash
-- slot is being moved, a command for a missing key fails, and the permits before it would not be counted.
local function release(group)
    local freed, left = remove(group.members), group.left
    local notified, waited = end_waits(group)
    if group.is_lost then return end
    local channel, first = ARGV[3 * group.first], ARGV[3 * group.first - 2]
    if freed > 0 then
        left = redis.call('incrby', KEYS[1], freed)
        if left > 0 then notify(group, left) end
    end
    local others = wake(channel, left, freed + notified, first)
    for i = group.first, group.last do
        if answer[i] > 0 then answer[i] = answer[i] + others end
    end
    -- As in permits_release.
    wake(channel, math.min(left, 0), waited, first)
end

for i = 1, #ARGV / 3 do
    if ARGV[3 * i] ~= '' then groups[#groups + 1] = {number = #groups + 1, first = i} end
    groups[#groups].last = i
end
-- All checks before the first write: each grant of a batch that is refused is released again, alone.
for _, group in ipairs(groups) do
    use_keys_of(group)
    local text, left, failed = read_counter()
    if failed then return failed end
    group.is_lost, group.left, group.members = not text, left, members_of(group)
end
for _, group in ipairs(groups) do
    use_keys_of(group)
    release(group)
end
return answer
