-- The counter of a semaphore. KEYS[1] is the counter.

-- include counter

-- Returns the text of the counter, its number, and an error reply if it is no counter. A client counts permits in 32 bits.
local function read_counter()
    local text = counter_text(KEYS[1])
    if type(text) == 'table' then return nil, nil, text end
    if not text then return nil, nil, nil end
    local number = to_number(text)
    if number and number > -2 ^ 32 and number < 2 ^ 32 then return text, number, nil end
    return text, nil, redis.error_reply('WRONGTYPE the semaphore is a string that is no number of permits')
end
