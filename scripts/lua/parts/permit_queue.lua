-- The queue of a fair semaphore. KEYS: counter, timeouts, queue, waiters. Needs above it: fair_waiter, `now` (the
-- server's time in ms) and `waiter_timeout` (in ms).
--
-- queue    ZSET  holder -> 4096 * place + weight, in order of arrival
-- waiters  ZSET  until when a waiter counts as alive, and three times, as of a fair lock (fair_places.lua)

-- The first waiter and its weight.
local function front()
    local first = redis.call('zrange', KEYS[3], '0', '0', 'WITHSCORES')
    if not first[1] then return nil, nil end
    return first[1], first[2] % 4096
end

-- Makes both keys live for another day. A server that is short of memory refuses ZADD, unless the script has written
-- before: with this before it, waiters that have a place keep it.
local function keep()
    for i = 3, 4 do redis.call('pexpire', KEYS[i], one_day) end
end

-- Removes a waiter. The last one takes the times with it.
local function forget(holder)
    redis.call('zrem', KEYS[3], holder)
    redis.call('zrem', KEYS[4], holder)
    if redis.call('exists', KEYS[3]) == 0 then redis.call('del', KEYS[4]) end
end

-- Until when no waiter is removed as dead.
local function calm_until()
    if was_silent(redis.call('zscore', KEYS[4], '#seen'), now, waiter_timeout) then return now + waiter_timeout end
    return tonumber(redis.call('zscore', KEYS[4], '#calm') or 0)
end

-- Removes the waiters before the first that is alive and asks for no more than `total` permits. Returns that one, its
-- weight, until when it counts as alive, and whether a waiter was removed. At most 500 are removed, as in fair_queue.lua.
local function first_alive(total)
    local head, weight = front()
    local changed, left = false, 500
    while head do
        if left == 0 then return head, weight, now + 1, changed end
        left = left - 1
        local last = weight <= total and tonumber(redis.call('zscore', KEYS[4], head) or nil)
        if last and last <= now then last = calm_until() end
        if last and last > now then return head, weight, last, changed end
        forget(head)
        head, weight = front()
        changed = true
    end
    return nil, nil, nil, changed
end

-- The first waiter that is served when `left` permits are free: the first one that is alive, or, if it could have them,
-- but does not receive a message, the first one behind it that does. A waiter that gave a sign of life within
-- `trusted` ms counts as one that does: it may poll. Those that are passed keep their places until they count as dead.
-- Returns that waiter, its weight, until when the first one counts as alive, and whether one was removed.
local function first_served(total, left, trusted)
    local head, weight, last, changed = first_alive(total)
    local function is_reached(holder, score) return score - waiter_timeout > now - trusted or notify(holder) end
    local function is_passed() return head and left >= weight and not is_reached(head, last) end
    local passes = is_passed()
    while passes and tonumber(redis.call('zscore', KEYS[4], head)) <= now do
        forget(head)
        head, weight, last = first_alive(total)
        passes, changed = is_passed(), true
    end
    local line = passes and redis.call('zrange', KEYS[3], '1', '100', 'WITHSCORES') or {}
    for i = 1, #line, 2 do
        local asks, score = line[i + 1] % 4096, tonumber(redis.call('zscore', KEYS[4], line[i]) or 0)
        if score > now and asks <= total and (left < asks or is_reached(line[i], score)) then
            return line[i], asks, last, changed
        end
    end
    return head, weight, last, changed
end
-- include fair_wake
