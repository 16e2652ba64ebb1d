-- Changes the value of a leader, which keeps its term.
-- KEYS  lock, record
-- ARGV  holder, term, value, channel of the observers, time to live of the record in ms
-- returns 1: done; 0: it does not hold the lock, nothing changed
-- errors WRONGTYPE: the lock or the record is not a hash
-- redis.calls: hexists, hset, pexpire, publish
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
-- All that the record needs: somebody may have deleted it.
redis.call('hset', KEYS[2], 'holder', ARGV[1], 'term', ARGV[2], 'value', ARGV[3])
redis.call('pexpire', KEYS[2], ARGV[5])
redis.pcall('publish', ARGV[4], '1')
return 1
