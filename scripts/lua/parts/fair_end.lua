-- Releases a fair lock, or removes a place from its queue, whichever the holder has, and notifies the next waiter. Needs
-- above it: `me` (the holder), `channel`. KEYS: lock, queue, timeouts, waiters, priorities; ARGV[3]: waiter timeout in ms.

local had = redis.pcall('hdel', KEYS[1], me)
if had ~= 1 then had = 0 end
local head = redis.call('lindex', KEYS[2], '0')
-- Scores whose list was lost are deleted, too.
if not head and (had == 1 or redis.call('exists', KEYS[3]) == 0) then return had end

-- include fair_waiter
-- include holder

-- Other data than a queue stays as it is.
if head and not is_place(head) then return had end

-- A waiter that receives the message counts as alive. If it was silent for too long and makes no attempt now, the next
-- script that refreshes the queue removes it.
if had == 1 and is_ours(head) and notify(head) then return 1 end

local time = redis.call('time')
local now, waiter_timeout = time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[3])
-- include fair_places
-- include fair_queue

-- Leaves the queue. Returns whether the holder was the first one.
local function give_up()
    local was_first = head == me
    if redis.call('lrem', KEYS[2], '1', me) == 1 then had = 2 end
    head = redis.call('lindex', KEYS[2], '0')
    if head then forget(me) else redis.call('unlink', KEYS[3], KEYS[4], KEYS[5]) end
    return was_first
end

-- Redis deletes a hash with its last field.
local is_news = had == 1 or give_up()
local is_free = had == 1 or redis.call('exists', KEYS[1]) == 0
local _, changed
if is_free then head, _, changed = first_alive(true, head) end
if head and not is_ours(head) then keep(true) end -- there may be none of our waiters to do it
if head and is_free then wake(head, changed or is_news) end
return had
