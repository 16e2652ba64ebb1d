-- Grants permits to contenders of one client, in order, as many of them as can be served: the first that has to wait
-- ends it. Creates the semaphore if there is none. A holder that has its permits keeps them, and a repetition takes no
-- others. Permits whose time has passed are removed only when they are needed. Of waiters, the first that is refused waits
-- for a message from here on. Permits that had ended, and are not taken here, are for the next clients that wait.
-- KEYS  counter, timeouts, waiting
-- ARGV  lease time in ms, permits to create it with (0: never), its time to live in ms (0: none), channel, whether
--   they wait for a message if they are refused (1; 0: no), for each contender: holder, weight
-- returns nil: all were granted; {n, t, total}: the first n were granted; t is the time in ms after which enough
--   permits will have ended for the next one (-1: unknown; -2: it asks for more than there are); total is the number of
--   permits, free and held (-1: no semaphore)
-- errors WRONGTYPE: the counter is not a number, or the timeouts are of another type; nothing is taken then
-- redis.calls: time, getrange, decrby, zadd, pttl, pexpire, pexpire or persist (granted); time, getrange,
--   zrangebyscore, zrange, zcard (busy); if permits had expired also zrem, incrby, publish, zrange; if it is created
--   also exists, zcard, set, publish, zrange; of waiters also zrem (granted), zadd, pexpire (refused); for each client
--   that is notified also publish, zrem, zrange; if one waits for more than are free also zrangebyscore
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- include permit_counter
local text, left, failed = read_counter()
if failed then return failed end
-- include permit_life
-- include permit_members
-- include permit_grant
-- include permit_waiting
-- include permit_wait
local channel, are_waiters = ARGV[4], ARGV[5] == '1'

local function members_until(last)
    local members = {}
    for i = 6, last, 2 do add_members(members, ARGV[i], tonumber(ARGV[i + 1])) end
    return members
end

local all = 0
for i = 7, #ARGV, 2 do all = all + ARGV[i] end

-- The counter before the members, here and below: a script that is refused in between costs a permit, and makes none.
if left and left >= all then
    redis.call('decrby', KEYS[1], all)
    local _, refused = write_members(members_until(#ARGV), ARGV[1], all)
    if refused then return refused end
    if are_waiters then stop_waiting(ARGV[6]) end
    return nil
end
if not text and ARGV[2] == '0' then
    if are_waiters then wait_for(ARGV[6], ARGV[7]) end
    return {0, -1, -1}
end
-- include permits
-- include permit_settle
-- include permit_wake

local foreign = flaw_of_timeouts()
if foreign then return foreign end
local over = expired()
left = (left or ARGV[2] - redis.call('zcard', KEYS[2])) + #over
local taken, count, at = 0, 0, 6
while at < #ARGV and left - taken >= tonumber(ARGV[at + 1]) do
    taken, count, at = taken + ARGV[at + 1], count + 1, at + 2
end
remove(over)
left = left - taken
settle(text, left, #over - taken, ARGV[3])
if taken > 0 then
    local _, refused = write_members(members_until(at - 1), ARGV[1], taken)
    if refused then return refused end
end
if (#over > 0 or not text) and left > 0 then redis.pcall('publish', channel, left) end
if at > #ARGV then
    if are_waiters then stop_waiting(ARGV[6]) end
    wake(channel, left, text and #over or left, ARGV[6])
    return nil
end

local wanted, total = tonumber(ARGV[at + 1]), left + redis.call('zcard', KEYS[2])
if are_waiters then
    if at > 6 or wanted > total then stop_waiting(ARGV[6]) end
    if wanted <= total then wait_for(ARGV[at], wanted) end
end
wake(channel, left, text and #over or left, ARGV[6])
return {count, wanted > total and -2 or time_until(wanted - left), total}
