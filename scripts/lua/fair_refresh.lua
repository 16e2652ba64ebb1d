-- A client's sign of life for all of its waiters of one fair lock. Says which of them should ask for the lock now.
-- KEYS  lock, queue, timeouts, waiters, priorities
-- ARGV  waiter timeout in ms, channel, for each waiter: holder
-- returns {t, i ...}: the waiter number i has no place any more, or the lock is free and it is the first; t is the PTTL
--   of the lock (-1: it has no time to live) or, while the lock is free, the time that the first has (-1: nobody waits)
-- errors WRONGTYPE: a key of the queue is no queue
-- redis.calls: time, exists, zscore, zadd, lrange, for each waiter: zadd, zadd; pexpire or persist (4), pttl, lindex,
--   zscore, zscore
local time = redis.call('time')
local now, patience, channel = time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[1]), ARGV[2]
-- include fair_queue

local number_of = {}
for i = 3, #ARGV do number_of[ARGV[i]] = i - 2 end

-- Redisson's waiters are believed to be alive until their score: time that they spend behind ours does not count.
local function refresh()
    local placed, foreign = {}, 0
    for _, holder in ipairs(redis.call('lrange', KEYS[2], 0, -1)) do
        if number_of[holder] then
            placed[holder] = true
            redis.call('zadd', KEYS[3], now + patience + foreign_share * foreign, holder)
            redis.call('zadd', KEYS[4], now + patience, holder)
        elseif not is_ours(holder) then
            foreign = foreign + 1
            if next(placed) then
                redis.call('zadd', KEYS[3], 'XX', 'GT', now + patience + foreign_share * foreign, holder)
            end
        end
    end
    return placed, foreign
end

local is_queue = redis.call('exists', KEYS[2]) == 1
if is_queue then look_after() end
local placed, foreign = refresh()
if is_queue then keep(foreign > 0) end

local left = redis.call('pttl', KEYS[1])
local head, last, changed = first_alive(left == -2)
local answer = {left}
if left == -2 then
    answer[1] = head and math.max(0, last - now) or -1
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
