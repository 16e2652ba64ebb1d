-- Removes a latch that is closed. Those that wait for it learn that it did not open, until it is set again.
-- KEYS  latch, generation, steps
-- ARGV  channel, time to live in ms
-- returns 1: removed; 0: it is open, or was removed before, nothing changed
-- errors WRONGTYPE: the latch or the generation is no number, nothing changed
-- redis.calls: getrange; if it is closed also getrange, set, unlink, publish; without a generation also time
local channel, one_day = ARGV[1], ARGV[2]
-- include latch_count
-- include latch_generation
local left, failed = read_count()
if failed then return failed end
if left == 0 then return 0 end
local generation, flaw = read_generation()
if flaw then return flaw end
-- The generation first: the latch never seems to have opened.
write_generation(-(past_generation(generation) + 1), one_day)
redis.call('unlink', KEYS[1], KEYS[3])
redis.pcall('publish', channel, '0')
return 1
