-- Releases several mutexes, each if it is still ours, and tells the waiters.
-- KEYS  locks
-- ARGV  for each lock: token, channel
-- returns for each lock 0: not ours, nothing changed; n > 0: released, the message reached n - 1 subscribers
-- redis.calls: mget, del, for each lock: publish; mget (none is ours)
local keys, found, ours, answer = KEYS, redis.call('mget', unpack(KEYS)), {}, {}
for i = 1, #keys do
    if found[i] == ARGV[2 * i - 1] then ours[#ours + 1] = keys[i] end
end
if #ours > 0 then redis.call('del', unpack(ours)) end
for i = 1, #keys do
    if found[i] == ARGV[2 * i - 1] then
        local heard = redis.pcall('publish', ARGV[2 * i], '0')
        answer[i] = type(heard) == 'number' and heard + 1 or 1
    else
        answer[i] = 0
    end
end
return answer
