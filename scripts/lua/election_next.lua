-- Reads the priority of the candidate that comes next.
-- KEYS  queue, priorities
-- returns the priority, 1 to 10; 0: there is no candidate
-- errors WRONGTYPE: a key is of another type
-- redis.calls: lindex (no candidate); lindex, hget
local candidate = redis.call('lindex', KEYS[1], '0')
if not candidate then return 0 end
local weight = redis.call('hget', KEYS[2], candidate)
-- include number
return math.floor((weight and to_number(weight) or 5000) / 1000)
