-- Changes the value of a leader, which keeps its term.
-- KEYS  lock, record
-- ARGV  holder, term, value, channel of the observers, priority
-- returns 1: done; 0: it does not hold the lock, nothing changed
-- errors WRONGTYPE: the lock or the record is not a hash
-- redis.calls: hexists, pttl, hget, pexpire, hset, publish; if the record is missing hset, pexpire
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
-- include record
local life = record_life(math.max(0, redis.call('pttl', KEYS[1])))
if redis.call('hget', KEYS[2], 'holder') == ARGV[1] then
    redis.call('pexpire', KEYS[2], life)
    redis.call('hset', KEYS[2], 'value', ARGV[3])
else
    write_record(KEYS[2], ARGV[1], ARGV[2], ARGV[3], ARGV[5], life)
end
redis.pcall('publish', ARGV[4], '1')
return 1
