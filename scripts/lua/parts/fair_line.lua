-- Whether a list is the queue of a fair lock, before more of it is read.

-- include holder

-- How many holders show that the list is a queue, before more of it is read.
local short, last_of_short = 30, '29'

-- Why the list, of which those are elements that follow each other, is no queue; nil: it is one, as far as their first one
-- shows, or, if they are many, the first ones and the last one of the list.
local function flaw_of(line, key)
    local is_long = #line >= short
    local is_queue = not is_long or is_place(redis.call('lindex', key, '-1'))
    for i = 1, is_long and short or math.min(1, #line) do is_queue = is_queue and is_place(line[i]) end
    return not is_queue and refuse('list that names no holder') or nil
end
