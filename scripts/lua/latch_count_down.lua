-- Counts a latch down, once for each step, however often the command is repeated. At zero it opens.
-- KEYS  latch, generation, steps
-- ARGV  step, number to count, channel, time to live in ms
-- returns what is left; 0 also if it was open
-- errors WRONGTYPE: the latch is no number, or the steps are no hash
-- redis.calls: getrange, exists (open); getrange, hset (counted before); getrange, hset, pexpire, pttl, pexpire,
--   pexpire, decrby; at zero getrange, hset, unlink, publish; if a right is missing also hdel
local step = ARGV[1]
-- include latch_count
-- include latch_life
local left, failed = read_count()
if failed or left == 0 then return failed or 0 end
if redis.call('hset', KEYS[3], step, '1') == 0 then return left end

-- Without one of the rights the step does not count either: the caller may repeat it.
local function check(reply)
    if type(reply) ~= 'table' then return reply end
    redis.call('hdel', KEYS[3], step)
    return reply
end

local function lower()
    local kept = redis.pcall('pexpire', KEYS[3], ARGV[4])
    if type(kept) == 'table' then return kept end
    local rest = redis.pcall('pttl', KEYS[1])
    if type(rest) == 'table' then return rest end
    prolong_latch(rest, ARGV[4])
    return redis.pcall('decrby', KEYS[1], ARGV[2])
end

if left > tonumber(ARGV[2]) then return check(lower()) end
local done = check(redis.pcall('unlink', KEYS[1], KEYS[3]))
if type(done) == 'table' then return done end
redis.pcall('publish', ARGV[3], '0')
return 0
