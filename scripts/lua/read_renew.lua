-- Renews a batch of reads, and makes each lock remain as long as the slot of its reader, even if another library has
-- shortened it. It never creates a key and never shortens a longer time to live (rule 4). A key of another type does
-- not stop the renewal of the others.
-- KEYS  for each lock: lock, slot of the reader, mark of a waiting writer
-- ARGV  for each lock: holder, lease time in ms (0: the slot stays as it is)
-- returns for each lock 1: the holder has it, until after the lease time at the earliest; 2: the same, and a writer
--   waits; 0: lost
-- errors those with which the server refuses one of the calls; the locks before that one are renewed then
-- redis.calls for each lock: hexists, pttl, pexpire, pttl, pttl, pexpire, exists; without the last pexpire if the lock expires
--   later already
local kept = {}
-- The part below uses the keys of the lock at hand.
local keys, KEYS = KEYS, {}
-- include renewal
-- include prolong
-- include longest_slot

-- How long the lock must remain at least: as long as this reader's slot. If it has lost its time to live, as long as the
-- longest of all slots.
local function life_of(slot, holder, left)
    if redis.call('pttl', KEYS[1]) ~= -1 then return left end
    return math.max(left, longest_slot(string.sub(slot, 1, -1 - #(holder .. ':rwlock_timeout:1')), holder) or 0)
end

for i = 1, #keys / 3 do
    local holder, slot, lease = ARGV[2 * i - 1], keys[3 * i - 1], tonumber(ARGV[2 * i])
    KEYS[1] = keys[3 * i - 2]
    local found = redis.pcall('hexists', KEYS[1], holder)
    if is_refusal(found) then return found end
    local left = found == 1 and redis.call('pttl', slot) or -2
    kept[i] = 0
    if left >= 0 or (left == -1 and lease > 0) then
        if lease > left then
            redis.call('pexpire', slot, lease)
            left = lease
        end
        local failed = prolong(KEYS[1], life_of(slot, holder, left))
        if failed then return failed end
        kept[i] = 1 + redis.call('exists', keys[3 * i])
    end
end
return kept
