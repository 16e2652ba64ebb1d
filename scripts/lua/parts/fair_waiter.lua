-- One waiter of a fair lock. Needs above it: `channel` (before the waiter's own part).
--
-- Redisson subtracts 300 s from every score behind a waiter that it serves, and computes the score of its new waiter
-- from the last one. So each of its waiters ahead adds 300 s to a score.
local foreign_share, one_day = 300000, '86400000'

-- Holdfast's clients are version 8 UUIDs, Redisson's are version 4.
local byte = string.byte
local function is_ours(holder) return byte(holder, 15) == 56 end

-- If no waiter gave a sign of life for a while, the server stood still: the waiters did not all die.
local function was_silent(last_check, now, waiter_timeout) return now - (last_check or now) > waiter_timeout / 2 end

-- The time in ms after which the other waiters look again at a lock that is free: the first one takes it soon, perhaps
-- for a short lease. They also look when it counts as dead. Clients look at most twice a second.
local function look_again(last, now)
    local left = last - now
    return left > 1000 and 500 or math.max(0, left)
end

-- Notifies a waiter that the lock is free. Returns whether it received the message.
local function notify(holder)
    local receivers = redis.pcall('publish', channel .. ':' .. holder, '0')
    return type(receivers) == 'number' and receivers > 0
end
