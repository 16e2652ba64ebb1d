-- Writes the number of free permits and looks ahead. Needs above it: permits.

-- Changes the counter of a semaphore that exists by `difference`; otherwise creates it with `left` free permits and that
-- time to live in ms ('0': none).
local function settle(exists, left, difference, life)
    if not exists then
        if life == '0' then
            redis.call('set', KEYS[1], left)
        else
            redis.call('set', KEYS[1], left, 'PX', life)
        end
    elseif difference ~= 0 then
        redis.call('incrby', KEYS[1], difference)
    end
end

-- The time in ms after which that many of the permits that are held have ended; -1: fewer are held.
local function time_until(count)
    if count < 1 then return 0 end
    local next_ones = redis.call('zrange', KEYS[2], count - 1, count - 1, 'WITHSCORES')
    return next_ones[1] and math.max(1, end_of(next_ones[1], next_ones[2]) - now) or -1
end
