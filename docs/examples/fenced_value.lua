-- Reads or writes a value for the holder of a lock, and refuses a holder whose successor was here.
--
-- KEYS     1  the value
--          2  the greatest fencing token so far, in the same hash tag
-- ARGV     1  the holder's fencing token
--          2  the new value; left out: the value is only read
-- returns  the value
-- errors   STALE: a greater token has passed before

if tonumber(redis.call('get', KEYS[2]) or '0') > tonumber(ARGV[1]) then
    return redis.error_reply('STALE a greater token has passed before')
end
redis.call('set', KEYS[2], ARGV[1])
if ARGV[2] then
    redis.call('set', KEYS[1], ARGV[2])
end
return redis.call('get', KEYS[1])
