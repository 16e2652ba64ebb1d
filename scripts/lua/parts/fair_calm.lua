-- Waiters after a stall of the server. KEYS[4] is the waiters. Needs above it: fair_waiter, `now` (the server's time in ms) and
-- `waiter_timeout` (in ms).

-- Until when no waiter of ours is removed as dead. Read once, because there may be many.
local calm
local function calm_until()
    if calm then return calm end
    local is_calm = was_silent(redis.call('zscore', KEYS[4], '#seen'), now, waiter_timeout)
    calm = is_calm and now + waiter_timeout or tonumber(redis.call('zscore', KEYS[4], '#calm') or 0)
    return calm
end
