-- The queue of a fair semaphore. KEYS: counter, timeouts, queue, waiters. Needs above it: fair_waiter, `now` (the
-- server's time in ms) and `waiter_timeout` (in ms).
--
-- queue    ZSET  holder -> 4096 * place + weight, in order of arrival
-- waiters  ZSET  until when a waiter counts as alive, and three times, as of a fair lock (fair_places.lua)

-- include fair_calm

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
    if redis.call('exists', KEYS[3]) == 0 then redis.call('unlink', KEYS[4]) end
end

-- Removes waiters. One command for all of them: there may be hundreds.
local function forget_all(holders)
    redis.call('zrem', KEYS[3], unpack(holders))
    redis.call('zrem', KEYS[4], unpack(holders))
    if redis.call('exists', KEYS[3]) == 0 then redis.call('unlink', KEYS[4]) end
end

-- Until when a waiter counts as alive that asks for no more than `total` permits; nil: it is dead, or asks for more.
local function lives_until(holder, weight, total)
    local last = weight <= total and tonumber(redis.call('zscore', KEYS[4], holder) or nil)
    if last and last <= now then last = calm_until() end
    return last and last > now and last or nil
end

-- Removes the waiters before the first that is alive and asks for no more than `total` permits. Returns that one, its
-- weight, until when it counts as alive, and whether a waiter was removed. At most 500 are removed, as in fair_queue.lua.
local function first_alive(total)
    local head, weight = front()
    local last = head and lives_until(head, weight, total)
    if last or not head then return head, weight, last, false end
    local line, dead = redis.call('zrange', KEYS[3], '0', '500', 'WITHSCORES'), {head}
    while #dead < 500 do
        head = line[2 * #dead + 1]
        last = head and lives_until(head, line[2 * #dead + 2] % 4096, total)
        if last or not head then break end
        dead[#dead + 1] = head
    end
    forget_all(dead)
    head = line[2 * #dead + 1]
    if not head then return nil, nil, nil, true end
    return head, line[2 * #dead + 2] % 4096, last or now + 1, true
end

-- The first waiter that is served when `left` permits are free: the first one that is alive, or, if it could have them,
-- but does not receive a message, the first one behind it that does. A waiter that gave a sign of life within
-- `trusted` ms counts as one that does: it may poll. Those that are passed keep their places until they count as dead.
-- Returns that waiter, its weight, until when the first one counts as alive, and whether one was removed.
local function first_served(total, left, trusted)
    local head, weight, last, changed = first_alive(total)
    local function is_reached(holder, score) return score - waiter_timeout > now - trusted or notify(holder) end
    local function is_passed() return head and left >= weight and not is_reached(head, last) end
    local passes, left_out = is_passed(), 0
    while passes and left_out < 100 and tonumber(redis.call('zscore', KEYS[4], head)) <= now do
        forget(head)
        head, weight, last = first_alive(total)
        passes, changed, left_out = is_passed(), true, left_out + 1
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
