-- Releases grants of permits, of one semaphore or of several, each as far as its holder still has it, and notifies the
-- waiters. Where a counter was lost nothing is counted, as in permits_release.
-- KEYS  for each grant: counter, timeouts
-- ARGV  for each grant: holder, weight, channel
-- returns for each grant 0: the holder has none of it, nothing changed; n > 0: released, n - 1 subscribers received the
--   message
-- errors WRONGTYPE: a counter or the timeouts are of another type; nothing changed then
-- redis.calls for each grant: zrem; for each semaphore, if its grants follow each other: get, zcard, incrby, publish; get,
--   zcard (no holder has any of it, or the counter was lost); with subscribers one publish for each grant
local now = 0
-- The parts below use the keys of the semaphore at hand.
local keys, KEYS = KEYS, {}
-- include permit_counter
-- include permits
-- include permit_members
local is_lost, answer = {}, {}

local function is_same_as_before(i) return keys[2 * i - 1] == keys[2 * i - 3] and keys[2 * i] == keys[2 * i - 2] end

local function use_keys(i) KEYS[1], KEYS[2] = keys[2 * i - 1], keys[2 * i] end

-- Returns how many permits the holder had.
local function take_from(holder, weight)
    local members = {}
    add_members(members, holder, weight)
    return remove(members)
end

-- One message for each grant, because a client of Redisson wakes one waiter for each. Without subscribers one is enough.
local function notify(first, last, left)
    for i = first, last do
        if answer[i] > 0 then
            local receivers = redis.pcall('publish', ARGV[3 * i], left)
            if type(receivers) ~= 'number' or receivers == 0 then return end
            answer[i] = receivers + 1
        end
    end
end

-- Releases the grants of one semaphore.
local function release(first, last)
    local freed = 0
    for i = first, last do
        local had = take_from(ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1]))
        answer[i] = had > 0 and 1 or 0
        freed = freed + had
    end
    if freed == 0 or is_lost[first] then return end
    local left = redis.call('incrby', KEYS[1], freed)
    if left > 0 then notify(first, last, left) end
end

-- All checks before the first write: each grant of a batch that is refused is released again, alone.
for i = 1, #keys / 2 do
    if is_same_as_before(i) then
        is_lost[i] = is_lost[i - 1]
    else
        use_keys(i)
        local text, _, failed = read_counter()
        if failed then return failed end
        redis.call('zcard', KEYS[2])
        is_lost[i] = not text
    end
end
local first = 1
for i = 1, #keys / 2 do
    if i == #keys / 2 or not is_same_as_before(i + 1) then
        use_keys(i)
        release(first, i)
        first = i + 1
    end
end
return answer
