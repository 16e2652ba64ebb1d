-- The queue of a fair lock as a whole, however long it is.

-- include holder

-- The holders in the queue of a fair lock, in order; nil and the error if the list is not such a queue. The first one shows
-- that before the list is read, which may be long.
local function line_of(key)
    local head = redis.call('lindex', key, '0')
    if not head then return {} end
    if not is_place(head) then return nil, refuse('list that names no holder') end
    return redis.call('lrange', key, '0', '-1')
end
