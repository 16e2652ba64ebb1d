-- The slots of readers, which are named after the fields of the lock (keys of the same hash slot, not in KEYS).
-- KEYS[1]: the lock.

-- include slot_numbers
-- include reader_fields

-- The longest time to live of the slots of all readers but one; 0: they have none; nil and an error: it is no lock. It
-- looks no further once it has found one of at least `enough` ms (left out: it looks at all). In a half-moved hash slot
-- the server refuses to look for a slot that has moved already, and the script ends. So no write may come before this.
local function longest_slot(prefix, but, enough)
    local longest = 0
    local fields, foreign = fields_of_lock()
    if foreign then return nil, foreign end
    for i = 1, #fields, 2 do
        local last, first = slot_numbers(fields[i] ~= but and fields[i + 1] or '0')
        for n = last, first, -1 do
            longest = math.max(longest, redis.call('pttl', prefix .. fields[i] .. ':rwlock_timeout:' .. n))
            if enough and longest >= enough then return longest end
        end
    end
    return longest
end
