-- The record of a leader.

-- Sets fields of the record, and a time to live. The user may lack the right to PEXPIRE: then the record of this leader is
-- deleted, because one without a time to live would stay for ever, and the second call ends the script with the server's
-- error. The time that election_acquire keeps in it stays.
local function set_record(record, life, ...)
    redis.call('hset', record, ...)
    if type(redis.pcall('pexpire', record, life)) ~= 'table' then return end
    redis.pcall('hdel', record, 'holder', 'term', 'value', 'priority', 'since')
    redis.call('pexpire', record, life)
end

-- Writes all that the record of this leader has, and makes it live for `life` ms. The term is a fencing token, so it is the
-- server's time in microseconds at the grant, or a little more.
local function write_record(record, holder, term, value, priority, life)
    set_record(record, life, 'holder', holder, 'term', term, 'value', value, 'priority', priority,
        'since', string.format('%.0f', math.floor(term / 1000)))
end

-- The record outlives the lock by a day, also one with a long lease time.
local function record_life(lease) return string.format('%.0f', lease + 86400000) end
