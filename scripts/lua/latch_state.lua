-- Reads what is left to count of a latch, and its generation. As long as somebody asks, a closed latch does not expire.
-- KEYS  latch, generation
-- ARGV  time to live in ms
-- returns {left, generation}: left is 0 if it is open
-- errors WRONGTYPE: the latch is no number
-- redis.calls: get, get (open); get, get, pttl (closed), and once in an hour also pexpire, pexpire
local generation = redis.pcall('get', KEYS[2])
-- include latch_count
-- include latch_life
local left, failed = read_count()
if failed then return failed end
if left > 0 then
    local rest = redis.call('pttl', KEYS[1])
    if rest < ARGV[1] - 3600000 then prolong_latch(rest, ARGV[1]) end
end
return {left, type(generation) == 'string' and tonumber(generation) or 0}
