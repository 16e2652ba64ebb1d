-- Sets the count of a latch that is open, was removed, or does not exist: a new generation of it.
-- KEYS  latch, generation, steps
-- ARGV  count, channel, time to live in ms
-- returns 1: set; 0: it is closed already, nothing changed
-- errors WRONGTYPE: the latch or the generation is no number, nothing changed
-- redis.calls: getrange; if it is open also exists, getrange, set, unlink, set, publish; without a generation also time
local one_day = ARGV[3]
-- include latch_count
-- include latch_generation
local left, failed = read_count()
if failed then return failed end
if left > 0 then return 0 end
local generation, flaw = read_generation()
if flaw then return flaw end
-- The generation first: who waits for the last one sees that it has ended.
write_generation(past_generation(generation) + one_set, one_day)
redis.call('unlink', KEYS[3])
redis.call('set', KEYS[1], ARGV[1], 'PX', one_day)
redis.pcall('publish', ARGV[2], '1')
return 1
