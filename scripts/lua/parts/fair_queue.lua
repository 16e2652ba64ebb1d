-- What the scripts of the fair lock share. Needs above it: `now` (the server's time in ms), `patience` (waiter timeout
-- in ms) and `channel` (before the waiter's own part). KEYS: lock, queue, timeouts, waiters, priorities.
--
-- queue       LIST  holders in order: ours, and those of Redisson's clients
-- timeouts    ZSET  until when Redisson's scripts believe a waiter to be alive
-- waiters     ZSET  until when ours do, of our waiters; besides `#seen`: when a script last looked after the queue,
--                   `#calm`: until when nobody is put out, `#woken`: when the first was last told that the lock is free
-- priorities  HASH  1000 * priority + how often it was passed, of waiters that are not as new with priority 5
--
-- Redisson takes 300 s off every score behind one that it serves, and a newcomer of it builds on the last score. So
-- each of its waiters ahead adds 300 s to a score.
local foreign_share, one_day = 300000, 86400000

-- Holdfast's clients are version 8 UUIDs, Redisson's are version 4.
local function is_ours(holder) return string.byte(holder, 15) == 56 end

-- Its entry left the list. The last one takes everything with it.
local function forget(holder)
    if redis.call('exists', KEYS[2]) == 0 then
        redis.call('del', KEYS[3], KEYS[4], KEYS[5])
    else
        redis.call('zrem', KEYS[3], holder)
        redis.call('zrem', KEYS[4], holder)
        redis.call('hdel', KEYS[5], holder)
    end
end

-- Redisson's waiters do not refresh a time to live: with one of them in the queue it must not have any.
local function keep(has_foreign)
    for i = 2, 3 do
        if has_foreign then redis.call('persist', KEYS[i]) else redis.call('pexpire', KEYS[i], one_day) end
    end
    redis.call('pexpire', KEYS[5], one_day)
end

-- When nothing was heard of anybody for a while, it was the server that stood still, not all of them that died.
local function was_silent() return now - (redis.call('zscore', KEYS[4], '#seen') or now) > patience / 2 end

local function look_after()
    if was_silent() then redis.call('zadd', KEYS[4], now + patience, '#calm') end
    redis.call('zadd', KEYS[4], now, '#seen')
    redis.call('pexpire', KEYS[4], one_day)
end

local function tell(holder)
    local heard = redis.pcall('publish', channel .. ':' .. holder, '0')
    return type(heard) == 'number' and heard > 0
end

-- A foreign waiter whose score has passed, but who hears, is alive: it and those behind it get their time anew.
local function revive()
    local ahead = 0
    for _, holder in ipairs(redis.call('lrange', KEYS[2], 0, -1)) do
        if not is_ours(holder) then
            ahead = ahead + 1
            redis.call('zadd', KEYS[3], 'XX', 'GT', now + foreign_share * ahead, holder)
        end
    end
    return now + foreign_share
end

-- Until when the first of the queue is believed to be alive; nil: it is dead.
local function end_of(head, is_free)
    local score = tonumber(redis.call('zscore', KEYS[3], head) or nil)
    if not score then return nil end
    if not is_ours(head) then
        if score > now or not is_free then return math.max(score, now + 1) end
        return tell(head) and revive() or nil
    end
    local last = tonumber(redis.call('zscore', KEYS[4], head) or score)
    if last > now then return last end
    local calm = was_silent() and now + patience or tonumber(redis.call('zscore', KEYS[4], '#calm') or 0)
    return calm > now and calm or nil
end

-- Puts out the dead before the first that is alive. Returns that one, until when, and whether somebody was put out.
local function first_alive(is_free)
    local changed = false
    while true do
        local head = redis.call('lindex', KEYS[2], 0)
        if not head then return nil, nil, changed end
        local last = end_of(head, is_free)
        if last then return head, last, changed end
        redis.call('lpop', KEYS[2])
        forget(head)
        changed = true
    end
end

-- Tells the first of the queue that the lock is free: at once if it does not know yet, else once a second.
local function wake(head, is_news)
    if not is_news and now - (redis.call('zscore', KEYS[4], '#woken') or 0) < 1000 then return end
    redis.call('zadd', KEYS[4], now, '#woken')
    tell(head)
end
