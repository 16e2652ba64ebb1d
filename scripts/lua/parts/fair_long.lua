-- The queue of a fair lock, read as far as a script needs it: its time must not grow with the queue. Needs above it:
-- fair_waiter, `now` (the server's time in ms). KEYS: lock, queue, timeouts, waiters, priorities.
--
-- Each waiter of Redisson counts for the scores behind it, so a queue with one of them is read as a whole. They enter at
-- the end. So none is in the queue if the last waiter is ours, and the mark `#pure` among the waiters says that none was
-- there when the last one of ours entered. Redisson's scripts do not know the mark, so those that enter ours delete it
-- where they see one of theirs.

-- include fair_line

-- How many waiters a queue has whose waiters are all ours, and that need not be read as a whole; nil: it must be. The list
-- and the timeouts have the same members, unless a part of one was lost: then only the list shows who has a place. A user
-- who lacks a right here has whole queues read.
local function length_of_ours()
    local length = redis.pcall('llen', KEYS[2])
    if redis.pcall('zcard', KEYS[3]) ~= length then return nil end
    local is_pure = is_ours(redis.call('lindex', KEYS[2], '-1')) and redis.call('zscore', KEYS[4], '#pure')
    return is_pure and length
end

-- The holders in the queue, in order, and how many there are. Of a longer queue, if possible, only the first ones. nil and
-- the error if the list is not such a queue.
local function read_line()
    local line = redis.call('lrange', KEYS[2], '0', last_of_short)
    if line[1] and not is_place(line[1]) then return nil, refuse('list that names no holder') end
    local length = #line == short and length_of_ours()
    if length then return line, length end
    local found = #line == short and flaw_of(line, KEYS[2])
    if found then return nil, found end
    if #line == short then line = redis.call('lrange', KEYS[2], '0', '-1') end
    return line, #line
end

-- How many of the first `count` holders are waiters of Redisson.
local function count_foreign(line, count)
    local foreign = 0
    for i = 1, count do
        if not is_ours(line[i]) then foreign = foreign + 1 end
    end
    return foreign
end

-- Adds the mark to the signs of life of a script that has read the whole queue, and found no waiter of Redisson.
local function mark(line, signs)
    if #line < short then return end
    signs[#signs + 1] = now
    signs[#signs + 1] = '#pure'
end
