-- Ends a read after a time, if the reader still has it: until then its slot keeps the writers out. The lock remains as long
-- as the longest of all slots. Notifies the waiters, which learn the new time to live.
-- KEYS  lock, slot of the reader
-- ARGV  holder, channel, prefix of the slots, time in ms until it ends, at least 1
-- returns 0: the holder has no field; n > 0: it ends after that time, n - 1 subscribers received the message
-- errors WRONGTYPE: the lock is not a hash; the slot is deleted nevertheless; or it has many fields that name no holders
-- redis.calls: hexists, unlink (it has no field); hexists, hget, pexpire, publish (held by a writer); hexists, hget, hlen,
--   hgetall, pttl for each other slot, pexpire, pttl, publish (held by readers); if the lock would remain longer also
--   pexpire
local held = redis.pcall('hexists', KEYS[1], ARGV[1])
if held ~= 1 then
    redis.call('unlink', KEYS[2])
    return held
end
-- include longest_slot
local life
if redis.call('hget', KEYS[1], 'mode') ~= 'write' then
    local longest, foreign = longest_slot(ARGV[3], ARGV[1])
    if foreign then return foreign end
    life = math.max(longest, tonumber(ARGV[4]))
end
redis.call('pexpire', KEYS[2], ARGV[4])
if life and redis.call('pttl', KEYS[1]) > life then redis.call('pexpire', KEYS[1], life) end
local receivers = redis.pcall('publish', ARGV[2], '0')
return type(receivers) == 'number' and receivers + 1 or 1
