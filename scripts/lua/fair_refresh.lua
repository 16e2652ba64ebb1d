-- Refreshes all waiters of one client in the queue of one fair lock. Returns which of them should make an attempt now.
-- KEYS  lock, queue, timeouts, waiters, priorities
-- ARGV  waiter timeout in ms, channel, for each waiter: holder
-- returns {t, i ...}: waiter number i has lost its place, or the lock is free and it is the first; t is the PTTL of the
--   lock (-1: it has no time to live) or, if the lock is free, the time in ms after which the waiters look again (-1:
--   there is none)
-- errors WRONGTYPE: a key of the queue is of another type
-- redis.calls: time, lrange, pexpire or persist (4), zadd, zscore, zadd, pttl; if none of the waiters is the first also
--   zscore; if the timeouts were lost also pexpire; with 30 waiters and more also llen, zcard, lindex, zscore, and zscore
--   for each waiter of the client or, with waiters of Redisson, lrange
local time = redis.call('time')
local now, waiter_timeout, channel = time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[1]), ARGV[2]
-- include fair_waiter
-- include fair_places
-- include fair_queue
-- include fair_signs
-- include fair_long

local number_of = {}
for i = 3, #ARGV do number_of[ARGV[i]] = i - 2 end

local function put(list, score, holder)
    list[#list + 1] = score
    list[#list + 1] = holder
end

-- Redisson's waiters count as alive until their score: the time that they spend behind ours is added to it.
-- A server that is short of memory refuses ZADD, unless the script has written before: commands that need no memory
-- come first, so that waiters that have a place keep it.
local function refresh(line)
    local placed, signs, scores, others, foreign = {}, {}, {}, {}, 0
    local life = score_behind(0)
    local score = life
    for _, holder in ipairs(line) do
        if number_of[holder] then
            placed[holder] = true
            put(scores, score, holder)
            put(signs, life, holder)
        elseif not is_ours(holder) then
            foreign = foreign + 1
            score = score_behind(foreign)
            if next(placed) then put(others, score, holder) end
        end
    end
    local are_lost = keep(foreign > 0)
    if foreign == 0 then mark(line, signs) end
    for i = 1, #others, 2 do redis.call('zadd', KEYS[3], 'XX', 'GT', others[i], others[i + 1]) end
    add(KEYS[3], scores)
    if are_lost and scores[1] then set_life(KEYS[3]) end
    record_signs(signs, false)
    return placed
end

-- Of a queue that is not read as a whole: the timeouts show who has a place, and all waiters are ours.
local function refresh_ours()
    local placed, signs, scores, life = {}, {}, {}, score_behind(0)
    for i = 3, #ARGV do
        if redis.call('zscore', KEYS[3], ARGV[i]) then
            placed[ARGV[i]] = true
            put(scores, life, ARGV[i])
            put(signs, life, ARGV[i])
        end
    end
    keep(false)
    add(KEYS[3], scores)
    record_signs(signs, false)
    return placed
end

local line, length = read_line()
if not line then return length end
local placed = {}
if #line < length then placed = refresh_ours() elseif line[1] then placed = refresh(line) end

local left = redis.call('pttl', KEYS[1])
local head, last, changed = line[1], now + waiter_timeout, false
if not number_of[head] then head, last, changed = first_alive(left == -2, head) end
local answer = {left}
if left == -2 then
    answer[1] = head and look_again(last, now) or -1
    if number_of[head] then
        answer[2] = number_of[head]
    elseif head then
        wake(head, changed)
    end
end
for i = 3, #ARGV do
    if not placed[ARGV[i]] then
        redis.call('zrem', KEYS[3], ARGV[i])
        answer[#answer + 1] = i - 2
    end
end
return answer
