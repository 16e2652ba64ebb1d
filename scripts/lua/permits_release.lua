-- Releases a grant, as far as the holder still has it, and notifies the waiters. Where the counter was lost nothing is
-- counted: who creates it again counts the permits that are held.
-- KEYS  counter, timeouts
-- ARGV  channel, holder, weight
-- returns 0: the holder has none of it, nothing changed; n > 0: released, n - 1 subscribers received the message
-- errors WRONGTYPE: the counter or the timeouts are of another type, nothing changed
-- redis.calls: get, zrem, incrby, publish; get, zrem (the holder has none of it, or the counter was lost)
local now = 0
-- include permit_counter
local text, _, failed = read_counter()
if failed then return failed end
-- include permits
-- include permit_members
local members = {}
add_members(members, ARGV[2], tonumber(ARGV[3]))
local freed = remove(members)
if freed == 0 then return 0 end
if not text then return 1 end
local left = redis.call('incrby', KEYS[1], freed)
-- Redisson's clients take the number for that of the waiters to wake, and throw at one below 0.
if left < 1 then return 1 end
local receivers = redis.pcall('publish', ARGV[1], left)
return type(receivers) == 'number' and receivers + 1 or 1
