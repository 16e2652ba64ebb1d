-- Sets the number of permits, for everybody. Permits that are held stay: after the number was lowered nothing is granted
-- until enough were released. It also repairs a counter, because it counts the permits that are held.
-- KEYS  counter, timeouts, queue (left out: not fair)
-- ARGV  permits, time to live in ms of a semaphore that is created (0: none), channel
-- returns {before, held}: the number of permits before, free and held (-1: no semaphore), and how many are held
-- errors WRONGTYPE: the counter is not a number, or the timeouts are of another type; nothing changed
-- redis.calls: time, get, zrangebyscore, zcard, set; if permits had expired also zrem; if permits are free also publish;
--   of a fair semaphore also zrange, publish
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- include permit_counter
local text, left, failed = read_counter()
if failed then return failed end
-- include permits
-- include permit_first
-- Read before the first write, as in permits_acquire_numbered.
local over = expired()
local held = redis.call('zcard', KEYS[2]) - #over
remove(over)
local free = ARGV[1] - held
if text then
    redis.call('set', KEYS[1], free, 'KEEPTTL')
elseif ARGV[2] == '0' then
    redis.call('set', KEYS[1], free)
else
    redis.call('set', KEYS[1], free, 'PX', ARGV[2])
end
if free > 0 then redis.pcall('publish', ARGV[3], free) end
-- Also if none is free: a waiter that asks for more than there are now must learn of it.
notify_first(ARGV[3])
return {text and left + held + #over or -1, held}
