-- Reads the holders of a read_write_lock, and how long each remains: a writer as long as the lock, a reader as long as
-- its slots, which are named after the fields (keys of the same hash slot, not in KEYS).
-- KEYS  lock
-- ARGV  prefix of the slots
-- returns {PTTL of the lock, mode, for each field: holder, PTTL of its longest slot (-2: none)}; {-2}: free
-- errors WRONGTYPE: the lock is not a hash with a mode
-- redis.calls: pttl, hget, hlen, hgetall, pttl for each slot
local found = {redis.call('pttl', KEYS[1]), ''}
-- include slot_numbers
-- include reader_fields
local mode = redis.call('hget', KEYS[1], 'mode')
if not mode and found[1] == -2 then return {-2} end
if mode ~= 'read' and mode ~= 'write' then
    return redis.error_reply('WRONGTYPE the lock is a hash that is no read_write_lock')
end
local fields, foreign = fields_of_lock()
if foreign then return foreign end
for i = 1, #fields, 2 do
    if fields[i] == 'mode' then
        found[2] = fields[i + 1]
    else
        local longest = -2
        local last, first = slot_numbers(fields[i + 1])
        for n = last, first, -1 do
            longest = math.max(longest, redis.call('pttl', ARGV[1] .. fields[i] .. ':rwlock_timeout:' .. n))
        end
        found[#found + 1] = fields[i]
        found[#found + 1] = longest
    end
end
return #fields == 0 and {-2} or found
