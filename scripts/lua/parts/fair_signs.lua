-- Signs of life of waiters. Needs above it: fair_waiter, `now` (the server's time in ms) and `patience` (waiter timeout in
-- ms).

-- What a waiter's score is after its sign of life, with so many of Redisson's before it. As text: others have the same.
local function score_behind(foreign) return string.format('%.0f', now + patience + foreign_share * foreign) end

-- ZADD of {score, member ...}, in parts: Lua passes some thousand arguments at most.
local function add(key, all)
    for i = 1, #all, 2000 do
        redis.call('zadd', key, unpack(all, i, math.min(i + 1999, #all)))
    end
end

-- Gives a new key a time to live, or takes it away again: the user may lack the right to PEXPIRE, and the second call is
-- to fail with those words.
local function set_life(key)
    if type(redis.pcall('pexpire', key, one_day)) ~= 'table' then return end
    redis.pcall('del', key)
    redis.call('pexpire', key, one_day)
end

-- Notes that a script looked after the queue, and the signs of life {score, holder ...} that it gives. In a new queue
-- nobody could have been silent.
local function look_after(signs, is_new)
    local seen = not is_new and redis.call('zscore', KEYS[4], '#seen')
    if was_silent(seen, now, patience) then add(KEYS[4], {now + patience, '#calm'}) end
    signs[#signs + 1] = now
    signs[#signs + 1] = '#seen'
    add(KEYS[4], signs)
    if not seen then set_life(KEYS[4]) end
end
