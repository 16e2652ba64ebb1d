-- Reads the holders of permits in parts of about a thousand, and how long each permit remains.
-- KEYS  counter, timeouts; of a numbered semaphore also the numbers
-- ARGV  cursor (0: the first part)
-- returns {cursor, t, member ...}: the cursor of the next part, 0: this is the last one. It is that of ZSCAN, so members may
--   occur in two parts, and those that were not there all the time may be missing. t is how long the member remains in ms
--   (-1: for ever). Redisson's members are 16 raw bytes, and remain so long at most. A member that has a number is
--   followed by # and the number
-- errors WRONGTYPE: the counter is not a number, or another key is of another type
-- redis.calls: time, getrange, zrange, zrange, zcard, zscan; with more than a thousand permits also zrange; of a numbered
--   semaphore also hget for each member
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- include permit_counter
local _, _, failed = read_counter()
if failed then return failed end
-- include permits
local foreign = flaw_of_timeouts() or flaw_of_many()
if foreign then return foreign end
local part = redis.call('zscan', KEYS[2], ARGV[1], 'COUNT', chunk)
local for_ever, answer, members = 900000000000000, {part[1]}, part[2]
for i = 1, #members, 2 do
    local last = end_of(members[i], members[i + 1])
    if last > now then
        local number = KEYS[3] and redis.call('hget', KEYS[3], members[i])
        answer[#answer + 1] = last > for_ever and -1 or last - now
        answer[#answer + 1] = number and members[i] .. '#' .. number or members[i]
    end
end
return answer
