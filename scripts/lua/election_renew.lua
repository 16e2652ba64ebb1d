-- Renews a batch of leaderships, as reentrant_renew renews locks. The record lasts a day longer, and
-- is written anew if somebody has deleted it.
-- KEYS  for each election: lock, record
-- ARGV  for each election: holder, lease time in ms, term, value, priority, channel of the observers
-- returns for each election 1: the holder leads, and the lock expires after the lease time at the earliest; 0: lost
-- errors those with which the server refuses HEXISTS, PTTL or PEXPIRE; the elections before that one are renewed then
-- redis.calls for each election: hexists, pttl, pexpire, hget, pexpire; hexists, pttl, hget, pexpire (it expires later
--   already); if the record is missing also hset, publish
local kept = {}
-- include renewal
-- include prolong
-- include record

-- A record that the server does not let us read or write stays as it is: it does not decide who leads.
local function keep_record(record, me, lease, term, value, priority, channel)
    local holder = redis.pcall('hget', record, 'holder')
    if type(holder) == 'table' then return end
    if holder == me then
        redis.pcall('pexpire', record, record_life(lease))
    elseif pcall(write_record, record, me, term, value, priority, record_life(lease)) then
        redis.pcall('publish', channel, '1')
    end
end

for i = 1, #KEYS / 2 do
    local lock = KEYS[2 * i - 1]
    local me, lease = ARGV[6 * i - 5], ARGV[6 * i - 4]
    local found = redis.pcall('hexists', lock, me)
    if is_refusal(found) then return found end
    local ours = found == 1
    local failed = ours and prolong(lock, lease)
    if failed then return failed end
    if ours then keep_record(KEYS[2 * i], me, lease, unpack(ARGV, 6 * i - 3, 6 * i)) end
    kept[i] = ours and 1 or 0
end
return kept
