-- Releases a grant after a time, as far as the holder still has it: until then its permits stay taken, by no holder.
-- Notifies the waiters, which learn the new end.
-- KEYS  counter, timeouts, waiting; of a fair semaphore counter, timeouts, queue, waiters
-- ARGV  channel, holder, weight, time in ms until it ends, at least 1
-- returns 0: the holder has none of it, nothing changed; n > 0: it ends after that time, n - 1 subscribers received the
--   message
-- errors WRONGTYPE: the counter is not a number, or the timeouts are of another type; nothing changed
-- redis.calls: time, getrange, zmscore (the holder has none of it); besides pttl, pexpire, pexpire or persist, zadd,
--   publish, zrange; if a client waits also zrangebyscore, and if it is notified publish, zrem, zrange; of a fair
--   semaphore zrange, publish in place of these
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- include permit_counter
local _, left, failed = read_counter()
if failed then return failed end
-- include permit_life
-- include permit_members
-- include permit_scores
-- include permit_write
-- include permit_first
-- include permits
-- include permit_waiting
-- include permit_wake

local members, kept = {}, {}
add_members(members, ARGV[2], tonumber(ARGV[3]))
local scores = scores_of(members)
for i, member in ipairs(members) do
    if scores[i] then kept[#kept + 1] = member end
end
if #kept == 0 then return 0 end

-- The times to live first, as in permits_renew. The score is 10 s after the end, as in parts/permits.lua.
prolong_permits()
local _, refused = write_scores(kept, now + ARGV[4] + 10000, 'XX')
if refused then return refused end
local receivers = redis.pcall('publish', ARGV[1], math.max(left or 0, 0))
if KEYS[4] then
    notify_first(ARGV[1])
else
    wake(ARGV[1], left or 0, #kept, ARGV[2], math.max(ARGV[4], soon))
end
return type(receivers) == 'number' and receivers + 1 or 1
