-- The record of a leader.

-- Writes all that the record of this leader has, and makes it live for `life` ms. The term is a fencing token, so it is the
-- server's time in microseconds at the grant, or a little more.
local function write_record(record, holder, term, value, priority, life)
    redis.call('hset', record, 'holder', holder, 'term', term, 'value', value, 'priority', priority,
        'since', string.format('%.0f', math.floor(term / 1000)))
    redis.call('pexpire', record, life)
end

-- The record outlives the lock by a day, also one with a long lease time.
local function record_life(lease) return string.format('%.0f', lease + 86400000) end
