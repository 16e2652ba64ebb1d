-- Reads what is left to count of a latch, and its generation.
-- KEYS  latch, generation
-- returns {left, generation}: left is 0 if it is open
-- errors WRONGTYPE: the latch is no number
-- redis.calls: get, get
local generation = redis.pcall('get', KEYS[2])
-- include latch_count
local left, failed = read_count()
if failed then return failed end
return {left, type(generation) == 'string' and tonumber(generation) or 0}
