-- The queue of a fair lock as a whole, however long it is.

-- include holder

-- How many holders show that the list is a queue, before more of it is read.
local short, last_of_short = 30, '29'

-- Why the list, whose first elements those are, is no queue; nil: it is one, as far as the first one shows, or, of a long
-- list, all of these and the last one.
local function flaw_of(line, key)
    local is_long = #line == short
    local is_queue = not is_long or is_place(redis.call('lindex', key, '-1'))
    for i = 1, is_long and short or math.min(1, #line) do is_queue = is_queue and is_place(line[i]) end
    return not is_queue and refuse('list that names no holder') or nil
end

-- The holders in the queue of a fair lock, in order; nil and the error if the list is not such a queue.
local function line_of(key)
    local line = redis.call('lrange', key, '0', last_of_short)
    local found = flaw_of(line, key)
    if found then return nil, found end
    return #line < short and line or redis.call('lrange', key, '0', '-1')
end
