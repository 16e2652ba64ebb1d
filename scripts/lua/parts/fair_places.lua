-- How a place in the queue of a fair lock ends. KEYS: lock, queue, timeouts, waiters, priorities.
--
-- queue       LIST  holders in order: ours, and those of Redisson's clients
-- timeouts    ZSET  until when Redisson's scripts believe a waiter to be alive
-- waiters     ZSET  until when ours do, of our waiters; besides `#seen`: when a script last looked after the queue,
--                   `#calm`: until when nobody is put out, `#woken`: when the first was last reminded of a free lock
-- priorities  HASH  1000 * priority + how often it was passed, of waiters that are not as new with priority 5
--
-- Numbers that do not change are given to commands as text: for Lua, to write one is half the work of a command.

-- The first two holders, one or none.
local function front() return redis.call('lrange', KEYS[2], '0', '1') end

-- What is known of one that left the list.
local function forget(holder)
    redis.call('zrem', KEYS[3], holder)
    redis.call('zrem', KEYS[4], holder)
    redis.call('hdel', KEYS[5], holder)
end

-- Takes out the first, given the front. The last one takes everything with it.
local function pop(line)
    if not line[2] then return redis.call('del', KEYS[2], KEYS[3], KEYS[4], KEYS[5]) end
    redis.call('lpop', KEYS[2])
    forget(line[1])
end
