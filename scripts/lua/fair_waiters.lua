-- Reads the waiters of a fair lock, in order.
-- KEYS  queue, timeouts, waiters, priorities
-- returns {holder, t, p, w ...}: t is the time in ms for which the waiter still counts as alive without a refresh, p its
--   priority, w the time in ms that it has waited (-1: a waiter of Redisson)
-- errors WRONGTYPE: a key of the queue is of another type
-- redis.calls: time, lrange, hlen, hgetall, for each waiter: zscore, zscore, and a third zscore for a waiter of Redisson; with
--   30 waiters and more also lindex, lrange
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- include fair_line
-- include number
local line, foreign = line_of(KEYS[1])
if foreign then return foreign end
if redis.call('hlen', KEYS[4]) > #line + 1000 then return refuse('hash of priorities without waiters') end
local weights, answer = {}, {}
local known_weights = redis.call('hgetall', KEYS[4])
for i = 1, #known_weights, 2 do weights[known_weights[i]] = known_weights[i + 1] end
for _, holder in ipairs(line) do
    local last = redis.call('zscore', KEYS[3], holder) or redis.call('zscore', KEYS[2], holder)
    if last then
        answer[#answer + 1] = holder
        answer[#answer + 1] = math.max(0, last - now)
        answer[#answer + 1] = math.floor((to_number(weights[holder] or '') or 5000) / 1000)
        local arrival = redis.call('zscore', KEYS[3], '#' .. holder)
        answer[#answer + 1] = arrival and math.max(0, now - arrival) or -1
    end
end
return answer
