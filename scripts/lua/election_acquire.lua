-- Acquires the lock of an election, a fenced fair lock, and records the leader; otherwise enters the queue of candidates,
-- or keeps the place that the candidate has. It may be sent again, as fair_acquire: a repetition sets the record again.
-- KEYS  lock, queue, timeouts, waiters, priorities, record, counter
-- ARGV  holder, lease time in ms, waiter timeout in ms, channel, priority (0: one attempt, which enters no queue), time
--   to live of the counter and of the record in ms, value, channel of the observers, channel of the leader, own priority,
--   settle time in ms
-- returns n > 0: it leads, n is the term; {n, t}: it leads after t ms, because a leader before it did not resign; n < 0:
--   another one leads or comes first, as in fair_acquire
-- errors WRONGTYPE: as fair_acquire, and if the record is not a hash, or has a number that is none
-- redis.calls: hget, and those of fair_acquire with fencing; besides, at a grant: time, hset, pexpire, publish; with a
--   settle time also hget, or hget twice; if the leader has a lower priority: publish
local me = ARGV[1]
-- Before the first write: a record of another type is an error. The leader learns of a candidate that is preferred to it
-- when this script has ended, and the candidate has its place.
-- include hold
-- include fence
-- include record
local function refuse_record() return redis.error_reply('WRONGTYPE the record of the leader has a number that is none') end
local present = to_number(redis.call('hget', KEYS[6], 'priority') or '0')
if not present then return refuse_record() end
if present > 0 and tonumber(ARGV[5]) > present then redis.pcall('publish', ARGV[9], ARGV[5]) end

-- When a leader was last followed that had not resigned; 0: none, or there is no settle time; nil: the record has other
-- data than a number. A resignation deletes the holder from the record, so a holder that is still there did not resign.
-- The time itself stays in the record: the next leader waits for the rest of the settle time if this one gives up
-- before it leads.
local function abandoned(now)
    if ARGV[11] == '0' then return 0 end
    local former = redis.call('hget', KEYS[6], 'holder')
    if former and former ~= me then return now end
    return to_number(redis.call('hget', KEYS[6], 'abandoned') or '0')
end

-- The record before the lock: a record without its holder's lock counts for nothing.
local function grant()
    local time = redis.call('time')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local last = abandoned(now)
    if not last then return refuse_record() end
    local term, failed = raise(KEYS[7], 'PX', ARGV[6])
    if failed then return failed end
    local record = {'holder', me, 'term', string.format('%.0f', term), 'value', ARGV[7], 'priority', ARGV[10],
        'since', string.format('%.0f', now), last ~= 0 and 'abandoned' or nil,
        last ~= 0 and string.format('%.0f', last) or nil}
    set_record(KEYS[6], string.format('%.0f', ARGV[2] + ARGV[6]), unpack(record)) -- a day longer than the lock
    hold(ARGV[2], me, '1')
    redis.pcall('publish', ARGV[8], '1')
    -- No longer than the settle time, also if the clock of the server was set back.
    local rest = last ~= 0 and math.min(last + ARGV[11] - now, ARGV[11]) or 0
    return rest > 0 and {term, rest} or term
end

-- include fair_attempt
