-- Reads what is left to count of a latch, and its generation. As long as somebody asks, a closed latch does not expire.
-- KEYS  latch, generation
-- ARGV  time to live in ms
-- returns {left, generation, removals}: left is 0 if it is open or was removed; generation is negative if it was
--   removed, and 0 if it is unknown: the key was lost, or a client of Redisson has set the latch; removals is a number
--   that changes with each removal, 0 if the generation is unknown
-- errors WRONGTYPE: the latch or the generation is no number
-- redis.calls: getrange, exists, getrange (open); getrange, getrange, pttl (closed), and once in an hour also pexpire,
--   pexpire
local life = ARGV[1]
-- include latch_count
-- include latch_generation
-- include latch_life
local left, failed = read_count()
if failed then return failed end
local generation, flaw = read_generation()
if flaw and string.find(flaw.err, '^WRONGTYPE') then return flaw end
generation = generation or 0
if left > 0 then
    local rest = redis.call('pttl', KEYS[1])
    if rest < life - 3600000 then prolong_latch(rest, life) end
end
return {left, generation, removals_of(generation)}
