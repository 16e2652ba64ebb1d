-- Counts the permits of a semaphore.
-- KEYS  counter, timeouts
-- returns {permits, held}: those whose time has passed are not held. Of these it sees the first five thousand
-- errors WRONGTYPE: the counter is not a number, or the timeouts are of another type
-- redis.calls: time, getrange, zrange, zrange, zcard, zcard, zrangebyscore; with more than a thousand permits also zrange
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- include permit_counter
local _, left, failed = read_counter()
if failed then return failed end
-- include permits
local foreign = flaw_of_timeouts() or flaw_of_many()
if foreign then return foreign end
local members = redis.call('zcard', KEYS[2])
return {(left or 0) + members, members - #expired()}
