-- Reads who leads.
-- KEYS  lock, record
-- returns {t, holder, term, value, since}: t is the PTTL of the lock (-2: it is free), since is in ms of the server's
-- clock.
--   holder is empty if nobody leads; term is 0 if the holder has no record, as another library's client
-- errors WRONGTYPE: a key is not a hash, or the record has a number that is none
-- redis.calls: pttl, hlen, hlen, hkeys, hgetall
local left = redis.call('pttl', KEYS[1])
if redis.call('hlen', KEYS[1]) > 1000 or redis.call('hlen', KEYS[2]) > 1000 then
    return redis.error_reply('WRONGTYPE the lock or the record is a hash of many fields')
end
local holder = redis.call('hkeys', KEYS[1])[1] or ''
local fields, record = redis.call('hgetall', KEYS[2]), {}
for i = 1, #fields, 2 do record[fields[i]] = fields[i + 1] end
if record.holder ~= holder then record = {} end
-- include number
local term, since = to_number(record.term or '0'), to_number(record.since or '0')
if not (term and since) then return redis.error_reply('WRONGTYPE the record of the leader has a number that is none') end
return {left, holder, term, record.value or '', since}
