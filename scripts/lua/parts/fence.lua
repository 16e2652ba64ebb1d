-- Fencing tokens.

-- include counter

-- Returns the last token, 0: the counter is missing, or nil and an error: the user may lack a right, or the counter is
-- other data than a number that INCR can raise. That stays as it is: no token is known to be greater than those before it.
local function last_fence(counter)
    local text = counter_text(counter)
    if type(text) == 'table' then return nil, text end
    local last = to_number(text or '0')
    if last and last < 2 ^ 53 - 1 then return last end
    return nil, redis.error_reply('WRONGTYPE the fencing counter is a string that is no number below 2^53')
end

-- Raises the counter, which gets those options of SET, above its last value and to the time in microseconds at least.
-- Returns the token, or nil and the error.
local function raise(counter, ...)
    local last, failed = last_fence(counter)
    if failed then return nil, failed end
    local time = redis.pcall('time')
    if time.err then return nil, time end
    local fence = math.max(last + 1, time[1] * 1000000 + time[2])
    local done = redis.pcall('set', counter, string.format('%.0f', fence), ...)
    if done.err then return nil, done end
    return fence
end
