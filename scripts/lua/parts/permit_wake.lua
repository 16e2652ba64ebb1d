-- The clients whose waiters were refused permits. KEYS[3] is the set of them.
--
-- waiting   ZSET  holder of the first waiter of a client -> its weight * 2^42 + when it was refused, in ms since 1970
--
-- A member leaves with the message that permits are free. Then its client makes an attempt, which is granted or enters it
-- again; a waiter that gives up notifies the next. Calls that are refused end no script: waiters look again after a time.
local one_weight = 2 ^ 42

-- Returns whether it waited, so that no message has reached it.
local function stop_waiting(holder)
    return redis.pcall('zrem', KEYS[3], holder) == 1
end

-- Notifies those whose permits are free, `most` clients at most, those with the least weight first: one that is not
-- there any more is left out. Returns how many other clients than that of `holder` received a message.
local function wake(channel, free, most, holder)
    local others = 0
    while free > 0 and most > 0 do
        local last = string.format('%.0f', (free + 1) * one_weight - 1)
        local first = redis.pcall('zrangebyscore', KEYS[3], '-inf', last, 'WITHSCORES', 'LIMIT', '0', '1')
        if not first[1] then break end
        if not stop_waiting(first[1]) then break end
        local client = string.sub(first[1], 1, 36)
        local receivers = redis.pcall('publish', channel .. ':' .. client, '0')
        if type(receivers) == 'number' and receivers > 0 then
            free, most = free - math.floor(first[2] / one_weight), most - 1
            if client ~= string.sub(holder, 1, 36) then others = others + 1 end
        end
    end
    return others
end
