-- The generation of a latch, KEYS[2]: a STRING, the number of the latch that was set last. It is negative if that was
-- removed. Its absolute value grows with each set and each removal, and its rest counts the removals: a waiter sees
-- whether there was one since it looked before, however often the latch was set in between. Needs above it:
-- `to_number`, `counter_text`.
local one_set = 1024

local function removals_of(generation) return math.abs(generation) % one_set end

-- Returns the generation, 0 if it is unknown, or nil and the error: the key is of another type, or cannot be read.
local function read_generation()
    local text = counter_text(KEYS[2])
    if type(text) == 'table' then return nil, text end
    local generation = to_number(text or '0')
    if generation then return generation end
    return nil, redis.error_reply('WRONGTYPE the generation of the latch is a string that is no number')
end

-- The absolute value; in place of an unknown one that which the time gives: one that was lost must not come again.
local function past_generation(generation)
    if generation ~= 0 then return math.abs(generation) end
    local time = redis.call('time')
    local now = time[1] * 1000000 + time[2]
    return now - now % one_set
end

local function write_generation(generation, life)
    redis.call('set', KEYS[2], string.format('%.0f', generation), 'PX', life)
end
