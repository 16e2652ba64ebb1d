-- Renews a batch of mutexes. It never creates a key and never shortens a longer time to live (rule 4). A key of another
-- type does not stop the renewal of the others.
-- KEYS  locks
-- ARGV  for each lock: token, lease time in ms
-- returns for each lock 1: it has the token, and expires after the lease time at the earliest; 0: lost
-- errors those with which the server refuses GETRANGE, PTTL or PEXPIRE; the locks before that one are renewed then
-- redis.calls for each lock: getrange, pttl, pexpire; getrange, pttl (it expires later already)
local kept = {}
-- include renewal
-- include prolong
for i = 1, #KEYS do
    local token = redis.pcall('getrange', KEYS[i], '0', '255')
    if is_refusal(token) then return token end
    local ours = token == ARGV[2 * i - 1]
    local failed = ours and prolong(KEYS[i], ARGV[2 * i])
    if failed then return failed end
    kept[i] = ours and 1 or 0
end
return kept
