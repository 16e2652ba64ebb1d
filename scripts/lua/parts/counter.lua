-- Counters: strings with a number.

-- include number

-- Returns the text in a key, nil: there is no key, or an error reply. Of a long string, which is no number, it reads only
-- the first bytes.
local function counter_text(key)
    local text = redis.pcall('getrange', key, 0, 17)
    if text ~= '' then return text end
    local count = redis.pcall('exists', key)
    if count == 0 then return nil end
    return count == 1 and text or count
end
