-- The fields of a read_write_lock with their values. KEYS[1]: the lock.

-- include holder

-- Returns them, or nil and an error. Of many fields, the first that the server finds show whether it is a lock, before
-- all of them are read. A user who lacks a right here has them read as they are.
local function fields_of_lock()
    local some = redis.call('hlen', KEYS[1]) > 1000 and redis.pcall('hscan', KEYS[1], '0', 'COUNT', '100')[2] or {}
    for i = 1, #some, 2 do
        if some[i] ~= 'mode' and not (is_holder(some[i]) and is_count(some[i + 1])) then
            return nil, refuse('hash with a field that names no holder')
        end
    end
    return redis.call('hgetall', KEYS[1])
end
