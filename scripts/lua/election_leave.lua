-- Ends a leadership, or removes a candidate from the queue, whichever the holder has. Notifies the next candidate, and
-- the observers of a leadership.
-- KEYS  lock, queue, timeouts, waiters, priorities, record
-- ARGV  holder, channel, waiter timeout in ms, channel of the observers
-- returns 0: it had neither, nothing changed; 1: the leadership ended; 2: a place was removed
-- errors WRONGTYPE: a key of the queue is of another type
-- redis.calls: hget, and those of fair_leave; of the leader also hdel, publish
local me, channel = ARGV[1], ARGV[2]

-- A record that cannot be deleted counts for nothing, because its holder leaves the lock below. It is deleted but for the
-- time that election_acquire keeps in it, and wholly if there is none.
if redis.pcall('hget', KEYS[6], 'holder') == me then
    redis.pcall('hdel', KEYS[6], 'holder', 'term', 'value', 'priority', 'since')
    redis.pcall('publish', ARGV[4], '0')
end

-- include fair_end
