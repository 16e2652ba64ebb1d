-- Refreshes all waiters of one client in the queue of one fair semaphore. Returns which of them should make an attempt
-- now.
-- KEYS  counter, timeouts, queue, waiters
-- ARGV  waiter timeout in ms, channel, for each waiter: holder
-- returns {t, i ...}: waiter number i has lost its place, or enough permits are free and it is the first, or the
--   counter is missing and it may create it; t is the time in ms after which enough permits will have ended for the
--   first waiter or, if it can have them already, after which the waiters look again (-1: unknown)
-- errors WRONGTYPE: the timeouts or a key of the queue are of another type
-- redis.calls: time, getrange, zmscore, pexpire, pexpire, zscore, zadd, zrange, zscore, zcard, zrangebyscore, zrange;
--   if another client's waiter is the first and can have them also zscore, zadd, pexpire, publish
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local waiter_timeout, channel = tonumber(ARGV[1]), ARGV[2]
-- include permit_counter
-- include permits
-- include permit_settle
-- include fair_waiter
-- include fair_signs
-- include permit_queue

local number_of, signs, answer = {}, {}, {-1}
for i = 3, #ARGV, chunk do
    local last = math.min(i + chunk - 1, #ARGV)
    for j, place in ipairs(redis.call('zmscore', KEYS[3], unpack(ARGV, i, last))) do
        local number = i + j - 3
        number_of[ARGV[number + 2]] = number
        if place then
            signs[#signs + 1] = now + waiter_timeout
            signs[#signs + 1] = ARGV[number + 2]
        else
            answer[#answer + 1] = number
        end
    end
end
if not signs[1] then return answer end
local first_of_client = signs[2]
keep()
record_signs(signs, false)

-- If the counter is missing or not a number, one waiter of each client makes an attempt: it creates the counter if its
-- handle may, or gets the error.
local _, left = read_counter()
if not left then
    answer[#answer + 1] = number_of[first_of_client]
    return answer
end
local held, over = redis.call('zcard', KEYS[2]), #expired()
local head, wanted, last, changed = first_served(left + held, left + over, 1000)
if not head then return answer end
left = left + over
if left < wanted then
    answer[1] = time_until(over + wanted - left)
    return answer
end
answer[1] = look_again(last, now)
if number_of[head] then
    answer[#answer + 1] = number_of[head]
else
    wake(head, changed)
end
return answer
