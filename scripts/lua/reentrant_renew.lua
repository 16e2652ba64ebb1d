-- Renews a batch of reentrant locks, or of writes of read_write_locks. It never creates a key and never shortens a
-- longer time to live (rule 4). A key of another type does not stop the renewal of the others.
-- KEYS  locks
-- ARGV  for each lock: holder, lease time in ms
-- returns for each lock 1: the holder has it, and it expires after the lease time at the earliest; 0: lost
-- errors those with which the server refuses HEXISTS, PTTL or PEXPIRE; the locks before that one are renewed then
-- redis.calls for each lock: hexists, pttl, pexpire; hexists, pttl (it expires later already)
local kept = {}
-- include renewal
-- include prolong
for i = 1, #KEYS do
    local found = redis.pcall('hexists', KEYS[i], ARGV[2 * i - 1])
    if is_refusal(found) then return found end
    local ours = found == 1
    local failed = ours and prolong(KEYS[i], ARGV[2 * i])
    if failed then return failed end
    kept[i] = ours and 1 or 0
end
return kept
