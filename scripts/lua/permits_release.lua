-- Releases a grant, as far as the holder still has it, and notifies as many waiting clients as permits are free again. A
-- holder that has none of it does not wait any more; if a message has reached it already, the next one gets it. Where the
-- counter was lost nothing is counted: who creates it again counts the permits that are held.
-- KEYS  counter, timeouts, waiting
-- ARGV  channel, holder, weight
-- returns 0: the holder has none of it, nothing changed; n > 0: released, n - 1 subscribers received the message
-- errors WRONGTYPE: the counter or the timeouts are of another type, nothing changed
-- redis.calls: getrange, zrem, incrby, publish, zrange; getrange, zrem, zrem, zrange (the holder has none of it);
--   getrange, exists, zrem (the counter was lost); for each client that is notified also publish, zrem, zrange; if one
--   waits for more than are free also time, zrangebyscore
local now = 0
local channel, holder = ARGV[1], ARGV[2]
-- include permit_counter
local text, left, failed = read_counter()
if failed then return failed end
-- include permits
-- include permit_members
-- include permit_waiting
-- include permit_wake
local members = {}
add_members(members, holder, tonumber(ARGV[3]))
local freed = remove(members)
if freed == 0 then
    local waited = stop_waiting(holder)
    -- A waiter that no message has reached may yet have learned before the others that permits end soon.
    if left then wake(channel, waited and math.min(left, 0) or left, tonumber(ARGV[3]), holder) end
    return 0
end
if not text then return 1 end
left = redis.call('incrby', KEYS[1], freed)
-- Redisson's clients take the number for that of the waiters to wake, and throw at one below 0.
local receivers = left > 0 and redis.pcall('publish', channel, left)
local others = wake(channel, left, freed, holder)
return 1 + others + (type(receivers) == 'number' and receivers or 0)
