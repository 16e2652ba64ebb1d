-- Releases several reentrant locks, each if its holder still has it, and notifies the waiters. A key of another type
-- counts as a lock of another holder.
-- KEYS  locks
-- ARGV  for each lock: holder, channel
-- returns for each lock 0: the holder does not have it, nothing changed; n > 0: released, n - 1 subscribers received
--   the message
-- errors those with which the server refuses HDEL for another reason than the type of the key
-- redis.calls for each lock: hdel, publish
local answer = {}
-- An error other than WRONGTYPE does not depend on the key: it comes at the first, when nothing was done yet.
for i = 1, #KEYS do
    local had = redis.pcall('hdel', KEYS[i], ARGV[2 * i - 1])
    if type(had) == 'table' and not string.find(had.err, '^WRONGTYPE') then return had end
    answer[i] = 0
    if had == 1 then
        local receivers = redis.pcall('publish', ARGV[2 * i], '0')
        answer[i] = type(receivers) == 'number' and receivers + 1 or 1
    end
end
return answer
