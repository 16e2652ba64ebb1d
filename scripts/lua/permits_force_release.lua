-- Takes permits away from all who hold some, or from one holder, and notifies the waiters. The holders learn of it at
-- their next renewal.
-- KEYS  counter, timeouts, queue (left out: not fair)
-- ARGV  channel, holder (empty: all)
-- returns how many permits were taken away
-- errors WRONGTYPE: the counter is not a number, or the timeouts are of another type; nothing changed
-- redis.calls: get, zcard, del, incrby, publish (all); get, zrange, zrem, incrby, publish (one); of a fair
--   semaphore also zrange, publish
local now = 0
-- include permit_counter
local text, _, failed = read_counter()
if failed then return failed end
-- include permits
-- include permit_first

-- Its members are the holder, and the holder before a "/" or a "#".
local function members_of(holder)
    local members = {}
    for _, member in ipairs(redis.call('zrange', KEYS[2], '0', '-1')) do
        local after = string.sub(member, #holder + 1, #holder + 1)
        if string.sub(member, 1, #holder) == holder and (after == '' or after == '/' or after == '#') then
            members[#members + 1] = member
        end
    end
    return members
end

local freed
if ARGV[2] == '' then
    freed = redis.call('zcard', KEYS[2])
    redis.call('del', KEYS[2])
else
    freed = remove(members_of(ARGV[2]))
end
if freed > 0 and text then
    local left = redis.call('incrby', KEYS[1], freed)
    if left > 0 then redis.pcall('publish', ARGV[1], left) end
end
if freed > 0 then notify_first(ARGV[1]) end
return freed
