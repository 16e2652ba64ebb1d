-- Releases a write, or removes the mark of a writer that waits no more, and notifies the waiters. Reads of the same
-- owner remain: then the lock remains as long as the longest of their slots. Readers that waited have a turn before the
-- next writer.
-- KEYS  lock, mark of a waiting writer, mark of waiting readers
-- ARGV  holder, channel, prefix of the slots, length of the readers' turn in ms (0: none)
-- returns 0: the holder did not hold it; n > 0: released, n - 1 subscribers received the message
-- errors WRONGTYPE: the lock is not a hash, or the mark of a waiting writer is not a string
-- redis.calls: hexists, getrange, hlen, unlink, getrange, publish; with reads of the same owner: hexists, getrange, hlen, hlen,
--   hgetall, pttl for each slot, hdel, hset, pexpire, getrange, publish; for readers that waited also set
local held = redis.call('hexists', KEYS[1], ARGV[1]) == 1
local waited = redis.call('getrange', KEYS[2], '0', '255') == ARGV[1]
if not held and not waited then return 0 end
-- include longest_slot
local left, foreign = 0, nil
if held and redis.call('hlen', KEYS[1]) > 2 then left, foreign = longest_slot(ARGV[3], ARGV[1]) end
if foreign then return foreign end
if waited then redis.call('unlink', KEYS[2]) end
if held and left > 0 then
    redis.call('hdel', KEYS[1], ARGV[1])
    redis.call('hset', KEYS[1], 'mode', 'read')
    redis.call('pexpire', KEYS[1], left)
elseif held then
    redis.call('unlink', KEYS[1])
end
-- Other data than a mark stays: it is an error reply here.
local mark = held and ARGV[4] ~= '0' and redis.pcall('getrange', KEYS[3], '0', '0')
if type(mark) == 'string' and mark ~= '' then redis.call('set', KEYS[3], 'turn', 'PX', ARGV[4]) end
local receivers = redis.pcall('publish', ARGV[2], '1')
if not held then return 0 end
return type(receivers) == 'number' and receivers + 1 or 1
