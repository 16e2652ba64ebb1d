-- Releases several mutexes, each if it still has its token, and notifies the waiters. A key of another type counts as
-- one with another token, because MGET returns nil for it.
-- KEYS  locks
-- ARGV  for each lock: token, channel
-- returns for each lock 0: another token or no key, nothing changed; n > 0: released, n - 1 subscribers received the
--   message
-- redis.calls: mget, unlink, for each lock: publish; mget (no lock has its token)
local keys, found, ours, answer = KEYS, redis.call('mget', unpack(KEYS)), {}, {}
for i = 1, #keys do
    if found[i] == ARGV[2 * i - 1] then ours[#ours + 1] = keys[i] end
end
if #ours > 0 then redis.call('unlink', unpack(ours)) end
for i = 1, #keys do
    if found[i] == ARGV[2 * i - 1] then
        local receivers = redis.pcall('publish', ARGV[2 * i], '0')
        answer[i] = type(receivers) == 'number' and receivers + 1 or 1
    else
        answer[i] = 0
    end
end
return answer
