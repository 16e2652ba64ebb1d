-- Deletes a read_write_lock, although others hold it, with the slots of its readers, which are named after the fields
-- (keys of the same hash slot, not in KEYS), and notifies the waiters of both sides.
-- KEYS  lock
-- ARGV  channel, prefix of the slots
-- returns 1: it was held; 0: it was free
-- errors WRONGTYPE: not a read_write_lock, nothing changed
-- redis.calls: type, hget, hlen, hgetall, unlink, unlink for each slot, publish
local kind = redis.call('type', KEYS[1]).ok
if kind == 'none' then return 0 end
-- include reader_fields
if kind ~= 'hash' then return refuse(kind) end
local mode = redis.call('hget', KEYS[1], 'mode')
if mode ~= 'read' and mode ~= 'write' then return refuse('hash without a mode') end
local fields, foreign = fields_of_lock()
if foreign then return foreign end
for i = 1, #fields, 2 do
    if fields[i] ~= 'mode' and not (is_holder(fields[i]) and is_count(fields[i + 1])) then
        return refuse('hash with a field that names no holder')
    end
end
redis.call('unlink', KEYS[1])
-- In a half-moved hash slot the server refuses to delete a slot that has moved already. Without a field it expires.
-- include slot_numbers
for i = 1, #fields, 2 do
    local last, first = slot_numbers(fields[i + 1])
    for n = last, first, -1 do
        redis.pcall('unlink', ARGV[2] .. fields[i] .. ':rwlock_timeout:' .. n)
    end
end
redis.pcall('publish', ARGV[1], '1')
return 1
