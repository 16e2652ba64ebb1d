-- Takes a read_write_lock away from all who hold it, with their slots, which are named after the fields (keys of the same
-- hash slot, not in KEYS), and tells the waiters of both sides.
-- KEYS  lock
-- ARGV  channel, prefix of the slots
-- returns 1: it was held; 0: it was free
-- errors WRONGTYPE: not a hash, nothing changed
-- redis.calls: hgetall, del, del for each slot, publish
local fields = redis.call('hgetall', KEYS[1])
if #fields == 0 then return 0 end
redis.call('del', KEYS[1])
for i = 1, #fields, 2 do
    for n = tonumber(fields[i + 1]) or 0, 1, -1 do
        redis.call('del', ARGV[2] .. fields[i] .. ':rwlock_timeout:' .. n)
    end
end
redis.pcall('publish', ARGV[1], '1')
return 1
