-- The fields of a read_write_lock with their values. KEYS[1]: the lock.

-- include holder
-- include number

-- Returns them, or nil and an error. Of many fields, the first that the server finds show whether it is a lock, before
-- all of them are read. A user who lacks a right here has them read as they are. Nobody knows which slots a holder has
-- whose number of holds is none.
local function fields_of_lock()
    local some = redis.call('hlen', KEYS[1]) > 1000 and redis.pcall('hscan', KEYS[1], '0', 'COUNT', '100')[2] or {}
    for i = 1, #some, 2 do
        if some[i] ~= 'mode' and not (is_holder(some[i]) and is_count(some[i + 1])) then
            return nil, refuse('hash with a field that names no holder')
        end
    end
    local fields = redis.call('hgetall', KEYS[1])
    for i = 1, #fields, 2 do
        if not to_number(fields[i + 1]) and is_holder(fields[i]) then
            return nil, refuse('hash with a holder whose number of holds is none')
        end
    end
    return fields
end
