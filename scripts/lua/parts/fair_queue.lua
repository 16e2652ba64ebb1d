-- Finds the first waiter of the queue that is alive. Needs above it: fair_waiter, fair_places, `now` (the server's time
-- in ms) and `waiter_timeout` (in ms).

-- Redisson's waiters do not refresh a time to live: with one of them in the queue it must not have any. Returns whether
-- the timeouts were lost, and need one when they are made again.
local function keep(has_foreign)
    local found
    for i = 2, 3 do
        if has_foreign then redis.call('persist', KEYS[i]) else found = redis.call('pexpire', KEYS[i], one_day) end
    end
    for i = 4, 5 do redis.call('pexpire', KEYS[i], one_day) end
    return found == 0
end

-- A foreign waiter whose score has passed is alive if it receives messages: then the scores of all foreign waiters
-- start anew.
local function revive()
    local ahead = 0
    for _, holder in ipairs(redis.call('lrange', KEYS[2], '0', '-1')) do
        if not is_ours(holder) then
            ahead = ahead + 1
            redis.call('zadd', KEYS[3], 'XX', 'GT', now + foreign_share * ahead, holder)
        end
    end
    return now + foreign_share
end

local function end_of_foreign(head, is_free)
    local score = tonumber(redis.call('zscore', KEYS[3], head) or nil)
    if not score then return nil end
    if score > now or not is_free then return math.max(score, now + 1) end
    return notify(head) and revive() or nil
end

-- include fair_calm

-- Until when the first waiter counts as alive; nil: it is dead. The score in `timeouts` of one of our waiters counts
-- only if it has none in `waiters`.
local function end_of(head, is_free)
    if not is_ours(head) then return end_of_foreign(head, is_free) end
    local last = tonumber(redis.call('zscore', KEYS[4], head) or redis.call('zscore', KEYS[3], head) or nil)
    if not last or last > now then return last end
    return calm_until() > now and calm_until() or nil
end

-- Removes the dead waiters at the front, the first of which is known. Returns the first that is alive; nil: none; and until
-- when it counts as alive. After 500 dead ones it leaves the next ones to the next script: it takes the first for alive
-- until then. Before one of Redisson's is looked at, those ahead are removed: its score depends on them.
local function remove_dead(is_free)
    local line, kept, at, last = redis.call('lrange', KEYS[2], '0', '500'), 1, 2, nil
    while line[at] and at <= 500 do
        if kept < at and not is_ours(line[at]) then
            pop_all(line, kept, at - 1)
            kept = at
        end
        last = end_of(line[at], is_free)
        if last then break end
        at = at + 1
    end
    if kept < at then pop_all(line, kept, at - 1) end
    return line[at], last or line[at] and now + 1
end

-- Removes the dead waiters before the first that is alive. Returns that one, until when it counts as alive, and whether
-- a waiter was removed.
local function first_alive(is_free, head)
    if not head then return nil, nil, false end
    local last = end_of(head, is_free)
    if last then return head, last, false end
    head, last = remove_dead(is_free)
    return head, last, true
end

-- include fair_wake
