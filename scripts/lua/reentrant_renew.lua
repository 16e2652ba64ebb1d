-- Renews a batch of reentrant locks. Never creates a key, never shortens a longer lease; a key of another type stops
-- no other.
-- KEYS  locks
-- ARGV  for each lock: holder, lease in ms
-- returns for each lock 1: still ours, lasts at least the lease; 0: gone
-- errors as the server refuses HEXISTS or PEXPIRE; locks before that one are renewed then
-- redis.calls for each lock: hexists, pexpire
local kept = {}
-- include renewal
for i = 1, #KEYS do
    local found = redis.pcall('hexists', KEYS[i], ARGV[2 * i - 1])
    if is_refusal(found) then return found end
    local ours = found == 1
    if ours then redis.call('pexpire', KEYS[i], ARGV[2 * i], 'GT') end
    kept[i] = ours and 1 or 0
end
return kept
