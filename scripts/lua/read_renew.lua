-- Renews a batch of reads, and has each lock last as long as its slot, whatever another library set meanwhile. Never
-- creates a key, never shortens a longer lease; a key of another type stops no other.
-- KEYS  for each lock: lock, slot of the reader, mark of a waiting writer
-- ARGV  for each lock: holder, lease in ms (0: the slot stays as it is)
-- returns for each lock 1: still ours, lasts at least the lease; 2: so it is, and a writer waits; 0: gone
-- errors as the server refuses one of the calls; locks before that one are renewed then
-- redis.calls for each lock: hexists, pttl, pexpire, pexpire, exists
local kept = {}
-- include renewal
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
        redis.call('pexpire', lock, left, 'GT')
        kept[i] = 1 + redis.call('exists', KEYS[3 * i])
    end
end
return kept
