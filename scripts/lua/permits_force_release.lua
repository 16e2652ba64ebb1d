-- Takes permits away from all who hold some, or from one holder, and notifies the waiters. The holders learn of it at
-- their next renewal.
-- KEYS  counter, timeouts, waiting; of a fair semaphore counter, timeouts, queue, waiters
-- ARGV  channel, holder (empty: all)
-- returns how many permits were taken away; 0 for a text that is not the whole id of a holder, such as a UUID alone
-- errors WRONGTYPE: the counter is not a number, or the timeouts are of another type; nothing changed
-- redis.calls: getrange, zrange, zrange, zcard, zcard, unlink, incrby, publish (all); getrange, zrange, zrange, zcard, zrange,
--   zrem, incrby, publish (one); with more than a thousand permits also zrange; then also zrange, and for each client
--   that is notified publish, zrem, zrange; if one waits for more than are free also time, zrangebyscore; of a fair
--   semaphore zrange, publish in place of these
local now = 0
-- include permit_counter
local text, left, failed = read_counter()
if failed then return failed end
-- include permits
-- include permit_first
-- include permit_waiting
-- include permit_wake

-- Whether it is "<uuid>:<number>", or the 16 raw bytes of a permit of Redisson. A part of an id may begin many ids.
local function is_holder(id)
    local is_ours = string.byte(id, 37) == 58 and string.find(id, '^%x+%-%x+%-%x+%-%x+%-%x+:%d+$')
    return #id == 16 or is_ours
end

-- Its members are the holder, and the holder before a ":" (its label), a "/" or a "#".
local function members_of(holder)
    local members = {}
    if not is_holder(holder) then return members end
    for _, member in ipairs(redis.call('zrange', KEYS[2], '0', '-1')) do
        local after = string.sub(member, #holder + 1, #holder + 1)
        if string.sub(member, 1, #holder) == holder and string.find(':/#', after, 1, true) then
            members[#members + 1] = member
        end
    end
    return members
end

local foreign = flaw_of_timeouts() or flaw_of_many()
if foreign then return foreign end
local freed
if ARGV[2] == '' then
    freed = redis.call('zcard', KEYS[2])
    redis.call('unlink', KEYS[2])
else
    freed = remove(members_of(ARGV[2]))
end
if freed > 0 and text then
    left = redis.call('incrby', KEYS[1], freed)
    if left > 0 then redis.pcall('publish', ARGV[1], left) end
end
if freed > 0 and KEYS[4] then
    notify_first(ARGV[1])
elseif freed > 0 and text then
    wake(ARGV[1], left, freed, '')
end
return freed
