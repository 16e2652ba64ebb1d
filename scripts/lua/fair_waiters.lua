-- Reads the waiters of a fair lock, in order and in parts of a thousand.
-- KEYS  queue, timeouts, waiters, priorities
-- ARGV  index of the first waiter to read, the waiter before it (empty: none)
-- returns {index, last, then for each waiter holder, t, p, w}: the two arguments of the next part; index 0: this is the last
--   one. A part begins after the waiter before it, if that is still in the queue: others may have left. t is the time in
--   ms for which the waiter still counts as alive without a refresh, p its priority, w the time in ms that it has waited
--   (-1: a waiter of Redisson)
-- errors WRONGTYPE: a key of the queue is of another type
-- redis.calls: time, lrange, zmscore, hmget, zscore for each waiter of Redisson; with 30 waiters and more also lindex; of
--   a part that is not the first also lpos
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- include fair_line
-- include number
local most = 1000
local after = ARGV[2] ~= '' and redis.call('lpos', KEYS[1], ARGV[2])
local from = after and after + 1 or tonumber(ARGV[1])
local line = redis.call('lrange', KEYS[1], from, from + most - 1)
local foreign = flaw_of(line, KEYS[1])
if foreign then return foreign end
local answer = {#line == most and from + most or 0, line[#line] or ''}
if #line == 0 then return answer end

local arrivals = {}
for i, holder in ipairs(line) do arrivals[i] = '#' .. holder end
local refreshes, weights = redis.call('zmscore', KEYS[3], unpack(line)), redis.call('hmget', KEYS[4], unpack(line))
arrivals = redis.call('zmscore', KEYS[3], unpack(arrivals))
for i, holder in ipairs(line) do
    local last = refreshes[i] or redis.call('zscore', KEYS[2], holder)
    if last then
        answer[#answer + 1] = holder
        answer[#answer + 1] = math.max(0, last - now)
        answer[#answer + 1] = math.floor((to_number(weights[i] or '') or 5000) / 1000)
        answer[#answer + 1] = arrivals[i] and math.max(0, now - arrivals[i]) or -1
    end
end
return answer
