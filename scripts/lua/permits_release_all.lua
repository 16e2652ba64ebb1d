-- Releases grants of permits, of one semaphore or of several, each as far as its holder still has it, and notifies the
-- waiters. Where a counter was lost nothing is counted, as in permits_release.
-- KEYS  for each grant: counter, timeouts
-- ARGV  for each grant: holder, weight, channel
-- returns for each grant 0: the holder has none of it, nothing changed; n > 0: released, n - 1 subscribers received the
--   message
-- errors WRONGTYPE: a counter or the timeouts are of another type; nothing changed then
-- redis.calls for each grant: get, zcard, zrem, incrby, publish; get, zcard, zrem (the holder has none of it, or the
--   counter was lost)
local now = 0
-- The parts below use the keys of the semaphore at hand.
local keys, KEYS = KEYS, {}
-- include permit_counter
-- include permits
-- include permit_members
local has_counter, answer = {}, {}

local function release(holder, weight, channel, is_counted)
    local members = {}
    add_members(members, holder, weight)
    local freed = remove(members)
    if freed == 0 then return 0 end
    if not is_counted then return 1 end
    local left = redis.call('incrby', KEYS[1], freed)
    if left < 1 then return 1 end
    local receivers = redis.pcall('publish', channel, left)
    return type(receivers) == 'number' and receivers + 1 or 1
end

-- All checks before the first write: each grant of a batch that is refused is released again, alone.
for i = 1, #keys / 2 do
    KEYS[1], KEYS[2] = keys[2 * i - 1], keys[2 * i]
    local text, _, failed = read_counter()
    if failed then return failed end
    redis.call('zcard', KEYS[2])
    has_counter[i] = text ~= nil
end
for i = 1, #keys / 2 do
    KEYS[1], KEYS[2] = keys[2 * i - 1], keys[2 * i]
    answer[i] = release(ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1]), ARGV[3 * i], has_counter[i])
end
return answer
