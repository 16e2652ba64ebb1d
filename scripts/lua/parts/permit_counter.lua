-- The counter of a semaphore. KEYS[1] is the counter.

-- Returns the text of the counter, its number, and an error reply if it is no counter. Numbers from 2^53 on are not
-- exact in Lua.
local function read_counter()
    local text = redis.call('get', KEYS[1])
    if not text then return nil, nil, nil end
    local number = tonumber(text)
    if number and number > -2 ^ 53 and number < 2 ^ 53 then return text, number, nil end
    return text, nil, redis.error_reply('WRONGTYPE the semaphore is a string')
end
