-- Acquires a fair lock, if it is free and no waiter is ahead; otherwise enters the queue, or keeps the place that the
-- holder has. It may be sent again with the same holder after an unknown outcome: it then finds the place, or the
-- grant, whose time to live it sets again.
-- KEYS  lock, queue, timeouts, waiters, priorities, counter (left out: not fenced)
-- ARGV  holder, lease time in ms, waiter timeout in ms, channel, priority (0: one attempt, which enters no queue), time
--   to live of the counter in ms
-- returns nil: granted; n > 0: granted, the fencing token; n < 0: busy, -3 - t, where t is the PTTL of the lock (-1: it
--   has no time to live) or, if the lock is free, the time in ms after which the waiters look again
-- errors WRONGTYPE: the lock is neither a hash nor a string with a time to live, a key of the queue is of another type,
--   or the counter is not a number below 2^53
-- redis.calls: exists, hset, pexpire (free, no waiter); exists, lrange, unlink or lpop, zrem, zrem, hdel, hset, pexpire
--   (the holder is the first waiter; also publish before another one, if the lease is short); with fencing also
--   getrange, time, set, and exists if the counter is missing; exists, hexists, pttl, time, zadd, pexpire, zadd, rpush,
--   pexpire, pexpire (becomes the first waiter); exists, hexists, pttl, time, lrange, zscore, zadd, hgetall, zadd,
--   rpush, zscore (becomes a further waiter); with a priority other than 5 also pexpire, hset, pexpire, and hset if
--   waiters are overtaken; with 30 waiters and more also llen, zcard, lindex, zscore, zscore, and lrange, hget in place
--   of hgetall, with hget for each waiter that is overtaken; with waiters of Redisson also zrem, and with 30 waiters
--   and more llen, zcard, lindex, zscore, lindex, lrange
local me = ARGV[1]
-- include hold
-- include fence

-- A holder that has a place leaves it first: that needs no memory, and after a first write the server does not refuse
-- the next ones for lack of memory.
local function grant()
    local fence, failed
    if KEYS[6] then fence, failed = raise(KEYS[6], 'PX', ARGV[6]) end
    if failed then return failed end
    hold(ARGV[2], me, '1')
    return fence
end

-- include fair_attempt
