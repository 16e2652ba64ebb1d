-- Messages to the first waiter of a queue. KEYS[4] is the waiters. Needs above it: fair_waiter, `now` (the server's time
-- in ms).

-- Notifies the first waiter that the lock is free: at once if that is new to it, else once a second. A message of the
-- first kind is not recorded: it costs at most one more message in that second.
local function wake(head, is_news)
    if not is_news then
        if now - (redis.call('zscore', KEYS[4], '#woken') or 0) < 1000 then return end
        redis.call('zadd', KEYS[4], now, '#woken')
        redis.call('pexpire', KEYS[4], one_day)
    end
    notify(head)
end
