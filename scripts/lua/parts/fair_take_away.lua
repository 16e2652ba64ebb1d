-- Deletes a fair lock, although others hold it, and notifies the first waiter. Needs above it: `channel`, `waiter_timeout`
-- (in ms). KEYS: lock, queue, timeouts, waiters, priorities.

-- include holder
-- include one_holder

local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- include fair_waiter
-- include fair_places
-- include fair_queue

-- Returns whether it was held, as 0 or 1, or an error.
local function take_away()
    local kind = redis.call('type', KEYS[1]).ok
    if kind == 'none' then return 0 end
    local found = flaw(kind)
    if found then return refuse(found) end
    local head = redis.call('lindex', KEYS[2], '0') -- fails before any write if the key is not a list
    if head and not is_place(head) then return refuse('list that names no holder') end
    redis.call('unlink', KEYS[1])
    head = first_alive(true, head)
    if head then wake(head, true) end
    return 1
end
