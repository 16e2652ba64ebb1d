-- One waiter of a fair lock. Needs above it: `channel` (before the waiter's own part).
--
-- Redisson takes 300 s off every score behind one that it serves, and a newcomer of it builds on the last score. So
-- each of its waiters ahead adds 300 s to a score.
local foreign_share, one_day = 300000, '86400000'

-- Holdfast's clients are version 8 UUIDs, Redisson's are version 4.
local byte = string.byte
local function is_ours(holder) return byte(holder, 15) == 56 end

-- When nothing was heard of anybody for a while, it was the server that stood still, not all of them that died.
local function was_silent(seen, now, patience) return now - (seen or now) > patience / 2 end

-- Tells it that the lock is free. Returns whether it heard.
local function tell(holder)
    local heard = redis.pcall('publish', channel .. ':' .. holder, '0')
    return type(heard) == 'number' and heard > 0
end
