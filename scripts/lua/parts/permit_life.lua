-- The time to live of a semaphore. KEYS[1] is the counter, KEYS[2] the timeouts.
local one_day = 86400000

-- Makes both keys live for another day at least, and the timeouts as long as the counter. A counter without a time to
-- live is Redisson's: its timeouts get none, either. Without a counter the timeouts decide. PEXPIRE with XX does the
-- same in fewer calls, but Redis 6.2 does not have XX.
local function prolong_permits()
    local left = redis.call('pttl', KEYS[1])
    if left == -2 then left = redis.call('pttl', KEYS[2]) end
    if left < 0 then
        redis.call('persist', KEYS[2])
        return
    end
    -- As text, because formatting a number costs Lua half as much as a command.
    local life = left > one_day and left or '86400000'
    redis.call('pexpire', KEYS[1], life)
    redis.call('pexpire', KEYS[2], life)
end
