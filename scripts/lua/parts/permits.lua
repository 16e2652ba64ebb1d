-- The permits of a semaphore, in the format of Redisson's RPermitExpirableSemaphore. KEYS[1] is the counter, KEYS[2] the
-- timeouts. Needs above it: `now` (the server's time in ms).
--
-- counter   STRING  the number of free permits; it may be negative after the number of permits was lowered
-- timeouts  ZSET    a member for each permit that is held -> its end in ms since 1970. A grant of weight w has the
--                   members holder, holder/2 ... holder/w; Redisson's members are 16 raw bytes
--
-- Redisson's clients remove members by their own clocks. So the score of one of ours is `skew` after its end, and a
-- member of theirs ends `skew` after its score: sound as long as those clocks and the server's differ by less.
local skew, chunk = 10000, 1000

-- Holdfast's clients have UUIDs of version 8, as text.
local function end_of(member, score)
    return #member > 16 and string.byte(member, 15) == 56 and score - skew or score + skew
end

local function is_permit(member)
    return #member == 16 or (string.byte(member, 15) == 56 and string.byte(member, 37) == 58)
end

-- Why the timeouts are other data than those of a semaphore; nil: they are not, as far as the first and the last member
-- show. They may be many.
local function flaw_of_timeouts()
    for _, at in ipairs({'0', '-1'}) do
        local member = redis.call('zrange', KEYS[2], at, at)[1]
        if member and not is_permit(member) then return redis.error_reply('WRONGTYPE the timeouts name no holder of permits') end
    end
end

-- The same for a script that reads all of many members: those of Redisson are random, so some of them are no text.
local function flaw_of_many()
    if redis.call('zcard', KEYS[2]) <= 1000 then return nil end
    for _, member in ipairs(redis.call('zrange', KEYS[2], '0', '9')) do
        if #member > 16 or string.find(member, '[%c\128-\255]') then return nil end
    end
    return redis.error_reply('WRONGTYPE the timeouts are texts that name no holder of permits')
end

-- The members whose time has passed at that instant. Reads `count` members in the order of their scores, without the first
-- `from` ones; returns also how many it has read. Other members never become free permits.
local function ended_by(at, from, count)
    local due = redis.call('zrangebyscore', KEYS[2], '-inf', at + skew, 'WITHSCORES', 'LIMIT', from, count)
    local over = {}
    for i = 1, #due, 2 do
        if is_permit(due[i]) and end_of(due[i], due[i + 1]) <= at then over[#over + 1] = due[i] end
    end
    return over, #due / 2
end

-- Of many only the first ones: the next script removes the others.
local most_read = 5000
local function expired() return (ended_by(now, '0', most_read)) end

-- In parts: Lua passes some thousand arguments at most.
local function remove(members)
    local removed = 0
    for i = 1, #members, chunk do
        removed = removed + redis.call('zrem', KEYS[2], unpack(members, i, math.min(i + chunk - 1, #members)))
    end
    return removed
end
