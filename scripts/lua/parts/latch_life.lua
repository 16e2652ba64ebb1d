-- The time to live of a latch. KEYS[1] is the latch, KEYS[2] its generation.

-- Makes both live for `life` ms from now on: to those that wait, a latch whose generation has expired seems to have been
-- open. A latch of Redisson has no time to live, and keeps none. `left`: the time to live of the latch.
local function prolong_latch(left, life)
    if left < 0 then return end
    redis.pcall('pexpire', KEYS[1], life)
    redis.pcall('pexpire', KEYS[2], life)
end
