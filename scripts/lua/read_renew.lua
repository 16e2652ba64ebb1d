-- Renews a batch of reads, and makes each lock remain as long as the slot of its reader, even if another library has
-- shortened it. It never creates a key and never shortens a longer time to live (rule 4). A key of another type does
-- not stop the renewal of the others.
-- KEYS  for each lock: lock, slot of the reader, mark of a waiting writer
-- ARGV  for each lock: holder, lease time in ms (0: the slot stays as it is)
-- returns for each lock 1: the holder has it, until after the lease time at the earliest; 2: the same, and a writer
--   waits; 0: lost
-- errors those with which the server refuses one of the calls; the locks before that one are renewed then
-- redis.calls for each lock: hexists, pttl, pexpire, pttl, pexpire, exists; without the last pexpire if the lock expires
--   later already
local kept = {}
-- include renewal
-- include prolong
for i = 1, #KEYS / 3 do
    local lock, slot, lease = KEYS[3 * i - 2], KEYS[3 * i - 1], tonumber(ARGV[2 * i])
    local found = redis.pcall('hexists', lock, ARGV[2 * i - 1])
    if is_refusal(found) then return found end
    local left = found == 1 and redis.call('pttl', slot) or -2
    kept[i] = 0
    if left >= 0 then
        if lease and lease > left then
            redis.call('pexpire', slot, lease)
            left = lease
        end
        local failed = prolong(lock, left)
        if failed then return failed end
        kept[i] = 1 + redis.call('exists', KEYS[3 * i])
    end
end
return kept
