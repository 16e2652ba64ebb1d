-- Reads the holders of permits, and how long each permit remains.
-- KEYS  counter, timeouts; of a numbered semaphore also the numbers
-- returns {exists, free, t, member ...}: exists is 1, or 0 if there is no counter; free is the number of free permits,
--   with those whose time has passed; t is how long the member remains in ms (-1: for ever). Redisson's members are 16
--   raw bytes, and remain so long at most. A member that has a number is followed by # and the number
-- errors WRONGTYPE: the counter is not a number, or another key is of another type
-- redis.calls: time, getrange, zrange, zrange, zcard, zrange; with more than a thousand permits also zrange; of a numbered
--   semaphore also hlen, hgetall
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- include permit_counter
local text, left, failed = read_counter()
if failed then return failed end
-- include permits
local foreign = flaw_of_timeouts() or flaw_of_many()
if foreign then return foreign end
local for_ever, answer = 900000000000000, {text and 1 or 0, left or 0}
local all = redis.call('zrange', KEYS[2], '0', '-1', 'WITHSCORES')
if KEYS[3] and redis.call('hlen', KEYS[3]) > 10000 then
    return redis.error_reply('WRONGTYPE the numbers name no holders')
end
local numbers, entries = {}, KEYS[3] and redis.call('hgetall', KEYS[3]) or {}
for i = 1, #entries, 2 do numbers[entries[i]] = entries[i + 1] end
for i = 1, #all, 2 do
    local last = end_of(all[i], all[i + 1])
    if last <= now then
        answer[2] = answer[2] + 1
    else
        answer[#answer + 1] = last > for_ever and -1 or last - now
        answer[#answer + 1] = numbers[all[i]] and all[i] .. '#' .. numbers[all[i]] or all[i]
    end
end
return answer
