-- Reads the waiters of a fair lock, in order.
-- KEYS  queue, timeouts, waiters
-- returns {holder, t ...}: t is the time in ms for which the waiter still counts as alive without a refresh
-- errors WRONGTYPE: a key of the queue is of another type
-- redis.calls: lrange, time, for each waiter: zscore, and a second zscore for a waiter of Redisson
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local answer = {}
for _, holder in ipairs(redis.call('lrange', KEYS[1], '0', '-1')) do
    local last = redis.call('zscore', KEYS[3], holder) or redis.call('zscore', KEYS[2], holder)
    if last then
        answer[#answer + 1] = holder
        answer[#answer + 1] = math.max(0, last - now)
    end
end
return answer
