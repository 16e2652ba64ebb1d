-- Ends a leadership, or removes a candidate from the queue, whichever the holder has. Notifies the next candidate, and
-- the observers of a leadership.
-- KEYS  lock, queue, timeouts, waiters, priorities, record
-- ARGV  holder, channel, waiter timeout in ms, channel of the observers
-- returns 0: it had neither, nothing changed; 1: the leadership ended; 2: a place was removed
-- errors WRONGTYPE: a key of the queue is of another type
-- redis.calls: hget, and those of fair_leave; of the leader also del, publish
local me, channel = ARGV[1], ARGV[2]

-- A record that cannot be deleted counts for nothing, because its holder leaves the lock below.
if redis.pcall('hget', KEYS[6], 'holder') == me then
    redis.pcall('del', KEYS[6])
    redis.pcall('publish', ARGV[4], '0')
end

-- include fair_end
