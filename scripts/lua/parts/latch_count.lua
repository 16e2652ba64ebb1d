-- The count of a latch.

-- include counter

-- Returns what is left to count, 0 if the latch is open, or nil and the error: the key is of another type.
local function read_count()
    local text = counter_text(KEYS[1])
    if type(text) == 'table' then return nil, text end
    local left = to_number(text or '0')
    if not left then return nil, redis.error_reply('WRONGTYPE the latch is a string that is no number') end
    return math.max(0, left)
end
