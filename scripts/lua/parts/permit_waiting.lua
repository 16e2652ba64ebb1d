-- The clients whose waiters were refused permits. KEYS[3] is the set of them.
--
-- waiting   ZSET  holder of the first waiter of a client -> its weight * 2^42 + when it was refused, in ms since 1970
--
-- A member leaves with the message that permits are free. Then its client makes an attempt, which is granted or enters it
-- again; a waiter that gives up notifies the next one. Calls that are refused end no script: waiters look again after a time.
local one_weight = 2 ^ 42

-- Returns whether it waited, so that no message has reached it.
local function stop_waiting(holder)
    return redis.pcall('zrem', KEYS[3], holder) == 1
end
