-- Numbers in keys, as Redis itself reads them.

-- The number in a text: an integer whose absolute value is below 2^53, with a minus perhaps, and nothing else: no zeros
-- before it, no space, fraction or exponent. nil: it is none. Lua would read more, which INCRBY then refuses, and rounds
-- greater ones.
local function to_number(text)
    if #text > 17 or not (text == '0' or string.find(text, '^%-?[1-9]%d*$')) then return nil end
    local number = tonumber(text)
    return number > -2 ^ 53 and number < 2 ^ 53 and number or nil
end
