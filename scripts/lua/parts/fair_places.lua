-- How a place in the queue of a fair lock ends. KEYS: lock, queue, timeouts, waiters, priorities.
--
-- queue       LIST  holders in order: ours, and those of Redisson's clients
-- timeouts    ZSET  until when Redisson's scripts count a waiter as alive
-- waiters     ZSET  until when our scripts count one of our waiters as alive, and with `#` before the holder when it
--                   arrived; and three times: `#seen`, when a script last refreshed the queue, `#calm`, until when no
--                   waiter is removed as dead, and `#woken`, when the first waiter was last notified of a free lock;
--                   besides the mark `#pure` of a long queue (fair_long.lua)
-- priorities  HASH  1000 * priority + how often it was overtaken, of waiters that have another priority than 5 or were
--                   overtaken
--
-- Constant numbers are passed to commands as text: formatting a number costs Lua half as much as a command.

-- The first two holders, one or none.
local function front() return redis.call('lrange', KEYS[2], '0', '1') end

-- Deletes the data of a holder that is not in the list any more.
local function forget(holder)
    redis.call('zrem', KEYS[3], holder)
    redis.call('zrem', KEYS[4], holder, '#' .. holder)
    redis.call('hdel', KEYS[5], holder)
end

-- Removes the first holders, which are those of the line from `first` to `last`. If there is none behind them, deletes all
-- keys of the queue. One command for all of them: there may be hundreds.
local function pop_all(line, first, last)
    if not line[last + 1] then return redis.call('unlink', KEYS[2], KEYS[3], KEYS[4], KEYS[5]) end
    local signs = {}
    for i = first, last do
        signs[#signs + 1] = line[i]
        signs[#signs + 1] = '#' .. line[i]
    end
    redis.call('lpop', KEYS[2], last - first + 1)
    redis.call('zrem', KEYS[3], unpack(line, first, last))
    redis.call('zrem', KEYS[4], unpack(signs))
    redis.call('hdel', KEYS[5], unpack(line, first, last))
end

-- Removes the first holder, given the front. If it is the only one, deletes all keys of the queue.
local function pop(line)
    if not line[2] then return redis.call('unlink', KEYS[2], KEYS[3], KEYS[4], KEYS[5]) end
    redis.call('lpop', KEYS[2])
    forget(line[1])
end
