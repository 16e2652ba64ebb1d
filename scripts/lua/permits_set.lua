-- Sets the number of permits, for everybody. Permits that are held stay: after the number was lowered nothing is granted
-- until enough were released. It also repairs a counter, because it counts the permits that are held.
-- KEYS  counter, timeouts, waiting; of a fair semaphore counter, timeouts, queue, waiters
-- ARGV  permits, time to live in ms of a semaphore that is created (0: none), channel; to add that number to the permits,
--   which may be negative, also the number of a semaphore that is created, and the greatest number
-- returns {before, held}: the number of permits before, free and held (-1: no semaphore), and how many are held; where
--   permits were added {now, held}
-- errors WRONGTYPE: the counter is not a number, or the timeouts are of another type; nothing changed
-- redis.calls: time, getrange, zrangebyscore, zcard, set; if permits had expired also zrem; if permits are free also
--   publish; zrangebyscore, and for each client that is notified publish, zrem, zrange, zrangebyscore; of a fair
--   semaphore zrange, publish in place of these
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- include permit_counter
local text, left, failed = read_counter()
if failed then return failed end
-- include permits
-- include permit_first
-- include permit_waiting
-- include permit_wake

-- Notifies those that ask for more than `total` permits: waiting does not help them. Of more than a thousand the others
-- learn of it when they look again.
local function wake_beyond(channel, total)
    local first = string.format('%.0f', (total + 1) * one_weight)
    for _, holder in ipairs(redis.pcall('zrangebyscore', KEYS[3], first, '+inf', 'LIMIT', '0', '1000')) do
        stop_waiting(holder)
        redis.pcall('publish', channel .. ':' .. string.sub(holder, 1, 36), '0')
    end
end

-- Read before the first write, as in permits_acquire_numbered.
local foreign = flaw_of_timeouts()
if foreign then return foreign end
local over = expired()
local held = redis.call('zcard', KEYS[2]) - #over
remove(over)
local before = text and left + held + #over
local total = tonumber(ARGV[1])
if ARGV[4] then total = math.max(0, math.min((before or ARGV[4]) + total, tonumber(ARGV[5]))) end
local free = total - held
if text then
    redis.call('set', KEYS[1], free, 'KEEPTTL')
elseif ARGV[2] == '0' then
    redis.call('set', KEYS[1], free)
else
    redis.call('set', KEYS[1], free, 'PX', ARGV[2])
end
if free > 0 then redis.pcall('publish', ARGV[3], free) end
-- Also if none is free: a waiter that asks for more than there are now must learn of it.
if KEYS[4] then
    notify_first(ARGV[3])
else
    wake_beyond(ARGV[3], total)
    wake(ARGV[3], free, free, '')
end
return {ARGV[4] and total or before or -1, held}
