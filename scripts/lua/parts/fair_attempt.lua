-- An attempt to acquire a fair lock. Needs above it: number, `me` (the holder), and grant(), which grants the lock and returns
-- the answer for that. KEYS: lock, queue, timeouts, waiters, priorities; ARGV: holder, lease time in ms, waiter timeout in
-- ms, channel, priority.

-- EXISTS counts a key as often as it is named: 1 for the lock, 2 for the queue, 4 for the timeouts.
local known = redis.call('exists', KEYS[1], KEYS[2], KEYS[2], KEYS[3], KEYS[3], KEYS[3], KEYS[3])
if known % 4 == 0 then return grant() end
local is_free, is_queue, will_wait = known % 2 == 0, known % 4 >= 2, ARGV[5] ~= '0'

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
-- include fair_long

local usual_priority, max_bypass, most_passed = 5, 30, 1000
local life = score_behind(0)
local line, length = {}, 0
if is_queue then line, length = read_line() end
if not line then return length end
if is_queue and redis.call('hlen', KEYS[5]) > length + 1000 then return refuse('hash of priorities without waiters') end
local is_whole = #line == length

-- Reads the waiters from the end on: returns a function that returns the next one and its weight. Redisson's waiters have
-- priority 5.
local function from_the_end()
    local weights, some, at = {}, line, #line
    local known_weights = is_queue and is_whole and redis.call('hgetall', KEYS[5]) or {}
    for i = 1, #known_weights, 2 do weights[known_weights[i]] = known_weights[i + 1] end
    local passed, count = 0, 1
    local function read_on()
        some = redis.call('lrange', KEYS[2], -passed - count, -passed - 1)
        at, count = #some, 100
    end
    if not is_whole then at = 0 end
    return function()
        if at == 0 and not is_whole then read_on() end
        local holder = some[at]
        if not holder then return nil end
        at, passed = at - 1, passed + 1
        local weight = weights[holder] or not is_whole and redis.call('hget', KEYS[5], holder)
        return holder, to_number(weight or '') or 1000 * usual_priority
    end
end

-- The place of a new waiter: at the end, but before those waiters at the end that have a lower priority and were not
-- overtaken too often. Returns how many it passes, and the first of them. It passes at most a thousand: each of them costs
-- a command.
local function pass(priority)
    local next_one, passed, first, weights = from_the_end(), 0, nil, {}
    -- A new key gets a time to live below. Without the right to PEXPIRE the script ends here, before it makes one.
    if priority ~= usual_priority then redis.call('pexpire', KEYS[5], one_day) end
    while passed < most_passed do
        local holder, weight = next_one()
        if not holder or weight >= 1000 * priority or weight % 1000 >= max_bypass then break end
        passed, first = passed + 1, holder
        weights[2 * passed - 1], weights[2 * passed] = holder, weight + 1
    end
    if passed > 0 then redis.call('hset', KEYS[5], unpack(weights)) end
    if priority ~= usual_priority then
        redis.call('hset', KEYS[5], me, 1000 * priority)
        redis.call('pexpire', KEYS[5], one_day)
    end
    return passed, first
end

local function enter(priority)
    local passed, first = pass(priority)
    local foreign = is_whole and count_foreign(line, length - passed) or 0
    redis.call('zadd', KEYS[3], foreign == 0 and life or score_behind(foreign), me)
    if not is_queue or known < 4 then set_life(KEYS[3]) end -- the timeouts may have been deleted alone
    if first then
        redis.call('linsert', KEYS[2], 'BEFORE', first, me)
    else
        redis.call('rpush', KEYS[2], me)
    end
    if passed == length then line[1] = me end
    if not is_queue then set_life(KEYS[2]) end
end

local function is_placed()
    if not is_whole then return redis.call('zscore', KEYS[3], me) end
    for i = 1, length do
        if line[i] == me then return true end
    end
    return false
end

local is_new = will_wait and not is_placed()
local signs = is_new and {life, me, now, '#' .. me} or will_wait and {life, me} or {}
if is_new and is_whole then
    if count_foreign(line, length) == 0 then mark(line, signs) else redis.call('zrem', KEYS[4], '#pure') end
end
record_signs(signs, not is_queue)
if is_new then enter(tonumber(ARGV[5])) end
if not is_free and line[1] == me then return -3 - left end

-- include fair_queue

local head, last, changed = first_alive(is_free, line[1])
if not is_free then return -3 - left end
if not head then return grant() end
if head == me then
    local line = front()
    pop(line)
    return grant_ahead_of(line[2])
end
wake(head, changed)
return -3 - look_again(last, now)
