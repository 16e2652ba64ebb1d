-- Renews a batch of leaderships, as reentrant_renew renews locks. The record lasts a day longer.
-- KEYS  for each election: lock, record
-- ARGV  for each election: holder, lease time in ms
-- returns for each election 1: the holder leads, and the lock expires after the lease time at the earliest; 0: lost
-- errors those with which the server refuses HEXISTS, PTTL or PEXPIRE; the elections before that one are renewed then
-- redis.calls for each election: hexists, pttl, pexpire, pexpire; hexists, pttl, pexpire (it expires later already)
local kept = {}
-- include renewal
-- include prolong
for i = 1, #KEYS / 2 do
    local lock = KEYS[2 * i - 1]
    local found = redis.pcall('hexists', lock, ARGV[2 * i - 1])
    if is_refusal(found) then return found end
    local ours = found == 1
    local failed = ours and prolong(lock, ARGV[2 * i])
    if failed then return failed end
    if ours then redis.call('pexpire', KEYS[2 * i], '86400000') end
    kept[i] = ours and 1 or 0
end
return kept
