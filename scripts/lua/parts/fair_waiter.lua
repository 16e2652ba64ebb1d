-- One waiter of a fair lock. Needs above it: `channel` (before the waiter's own part).

-- Holdfast's clients are version 8 UUIDs, Redisson's are version 4.
local byte = string.byte
local function is_ours(holder) return byte(holder, 15) == 56 end

-- Tells it that the lock is free. Returns whether it heard.
local function tell(holder)
    local heard = redis.pcall('publish', channel .. ':' .. holder, '0')
    return type(heard) == 'number' and heard > 0
end
