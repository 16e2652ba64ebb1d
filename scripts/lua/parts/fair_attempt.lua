-- An attempt to acquire a fair lock. Needs above it: `me` (the holder), and grant(), which grants the lock and returns the
-- answer for that. KEYS: lock, queue, timeouts, waiters, priorities; ARGV: holder, lease time in ms, waiter timeout in ms,
-- channel, priority.

-- EXISTS counts a key as often as it is named: 1 for the lock, 2 for the queue.
local known = redis.call('exists', KEYS[1], KEYS[2], KEYS[2])
if known == 0 then return grant() end
local is_free, is_queue, will_wait = known == 2, known >= 2, ARGV[5] ~= '0'

-- Waiters look each third of their time-out at least. A lease that is shorter may end before: the next waiter, which may
-- be nil, is notified of the grant, and asks for its end. So do the ones behind it when their turn comes.
local function grant_ahead_of(next_one)
    local answer = grant()
    if next_one and 3 * ARGV[2] < tonumber(ARGV[3]) then redis.pcall('publish', ARGV[4] .. ':' .. next_one, '0') end
    return answer
end

-- include fair_places

local left
if is_free then
    local line = front()
    if line[1] == me then
        pop(line)
        return grant_ahead_of(line[2])
    end
else
    local count = redis.pcall('hexists', KEYS[1], me)
    if count == 1 then return grant() end
    left = redis.call('pttl', KEYS[1])
    local kind = count ~= 0 and redis.call('type', KEYS[1]).ok
    if kind == 'hash' then return count end -- HEXISTS is not permitted
    if kind and (kind ~= 'string' or left < 0) then
        return redis.error_reply('WRONGTYPE the lock is a ' .. kind .. (left < 0 and ' without a time to live' or ''))
    end
    if not will_wait then return -3 - left end
end

local time = redis.call('time')
local now, waiter_timeout, channel = time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[3]), ARGV[4]
-- include fair_waiter
-- include fair_signs
-- include fair_line

local usual_priority, max_bypass = 5, 30
local life = score_behind(0)
local all, foreign = {}, nil
if is_queue then all, foreign = line_of(KEYS[2]) end
if foreign then return foreign end
if is_queue and redis.call('hlen', KEYS[5]) > #all + 1000 then return refuse('hash of priorities without waiters') end

-- The place of a new waiter: at the end, but before those waiters at the end that have a lower priority and were not
-- overtaken too often. Redisson's waiters have priority 5.
local function pass(priority)
    local at, weights = #all, {}
    local known_weights = is_queue and redis.call('hgetall', KEYS[5]) or {}
    -- A new key gets a time to live below. Without the right to PEXPIRE the script ends here, before it makes one.
    if priority ~= usual_priority then redis.call('pexpire', KEYS[5], one_day) end
    for i = 1, #known_weights, 2 do weights[known_weights[i]] = tonumber(known_weights[i + 1]) end
    while at > 0 do
        local weight = weights[all[at]] or 1000 * usual_priority
        if weight >= 1000 * priority or weight % 1000 >= max_bypass then break end
        redis.call('hset', KEYS[5], all[at], weight + 1)
        at = at - 1
    end
    if priority ~= usual_priority then
        redis.call('hset', KEYS[5], me, 1000 * priority)
        redis.call('pexpire', KEYS[5], one_day)
    end
    return at
end

local function enter(priority)
    local at, foreign = pass(priority), 0
    for i = 1, at do
        if not is_ours(all[i]) then foreign = foreign + 1 end
    end
    redis.call('zadd', KEYS[3], foreign == 0 and life or score_behind(foreign), me)
    if not is_queue then set_life(KEYS[3]) end
    if at == #all then
        redis.call('rpush', KEYS[2], me)
    else
        redis.call('linsert', KEYS[2], 'BEFORE', all[at + 1], me)
    end
    table.insert(all, at + 1, me)
    if not is_queue then set_life(KEYS[2]) end
end

local function is_placed()
    for i = 1, #all do
        if all[i] == me then return true end
    end
    return false
end

local is_new = will_wait and not is_placed()
record_signs(is_new and {life, me, now, '#' .. me} or will_wait and {life, me} or {}, not is_queue)
if is_new then enter(tonumber(ARGV[5])) end
if not is_free and all[1] == me then return -3 - left end

-- include fair_queue

local head, last, changed = first_alive(is_free, all[1])
if not is_free then return -3 - left end
if not head then return grant() end
if head == me then
    local line = front()
    pop(line)
    return grant_ahead_of(line[2])
end
wake(head, changed)
return -3 - look_again(last, now)
