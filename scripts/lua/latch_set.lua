-- Sets the count of a latch that is open, or does not exist: a new generation of it.
-- KEYS  latch, generation, steps
-- ARGV  count, channel, time to live in ms
-- returns 1: set; 0: it is closed already, nothing changed
-- errors WRONGTYPE: the latch is no number
-- redis.calls: get; if it is open also incrby, pexpire, del, set, publish
local one_day = ARGV[3]
-- include latch_count
local left, failed = read_count()
if failed then return failed end
if left > 0 then return 0 end
-- The generation first: who waits for the last one sees that it has ended.
redis.call('incrby', KEYS[2], '1')
redis.call('pexpire', KEYS[2], one_day)
redis.call('del', KEYS[3])
redis.call('set', KEYS[1], ARGV[1], 'PX', one_day)
redis.pcall('publish', ARGV[2], '1')
return 1
