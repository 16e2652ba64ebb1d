-- Waits for a message that permits are free. Needs above it: permit_waiting, permit_life, `now` (the server's time in ms).

-- Waits for `weight` permits; one that waits already keeps its place.
local function wait_for(holder, weight)
    local added = redis.pcall('zadd', KEYS[3], 'NX', string.format('%.0f', weight * one_weight + now), holder)
    if added == 1 then redis.pcall('pexpire', KEYS[3], one_day) end
end
