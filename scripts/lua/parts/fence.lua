-- Fencing tokens.

-- include number

-- Raises the counter, which gets those options of SET, above its last value and to the time in microseconds at least.
-- Returns the token, or nil and the error: the user may lack a right, or the counter is no string. A string that is no
-- number below 2^53 counts as a counter that was lost.
local function raise(counter, ...)
    local time = redis.pcall('time')
    if time.err then return nil, time end
    local fence = time[1] * 1000000 + time[2]
    local last = redis.pcall('set', counter, string.format('%.0f', fence), 'GET', ...)
    if type(last) == 'table' then return nil, last end
    last = last and to_number(last) or 0
    if last >= fence then
        fence = last + 1
        redis.call('set', counter, string.format('%.0f', fence), ...)
    end
    return fence
end
