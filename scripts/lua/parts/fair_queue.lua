-- Finds the first waiter of the queue that is alive. Needs above it: fair_waiter, fair_places, `now` (the server's time
-- in ms) and `waiter_timeout` (in ms).

-- Redisson's waiters do not refresh a time to live: with one of them in the queue it must not have any.
local function keep(has_foreign)
    for i = 2, 3 do
        if has_foreign then redis.call('persist', KEYS[i]) else redis.call('pexpire', KEYS[i], one_day) end
    end
    for i = 4, 5 do redis.call('pexpire', KEYS[i], one_day) end
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

-- Until when the first waiter counts as alive; nil: it is dead. The score in `timeouts` of one of our waiters counts
-- only if it has none in `waiters`.
local function end_of(head, is_free)
    if not is_ours(head) then return end_of_foreign(head, is_free) end
    local last = tonumber(redis.call('zscore', KEYS[4], head) or redis.call('zscore', KEYS[3], head) or nil)
    if not last or last > now then return last end
    local is_calm = was_silent(redis.call('zscore', KEYS[4], '#seen'), now, waiter_timeout)
    local calm = is_calm and now + waiter_timeout or tonumber(redis.call('zscore', KEYS[4], '#calm') or 0)
    return calm > now and calm or nil
end

-- Removes the dead waiters before the first that is alive. Returns that one, until when it counts as alive, and whether
-- a waiter was removed. After 500 dead ones it leaves the next ones to the next script: it takes the first for alive until
-- then.
local function first_alive(is_free, head)
    local changed, left = false, 500
    while head do
        local last = left == 0 and now + 1 or end_of(head, is_free)
        left = left - 1
        if last then return head, last, changed end
        pop(front())
        head, changed = redis.call('lindex', KEYS[2], '0'), true
    end
    return nil, nil, changed
end

-- include fair_wake
