-- Signs of life of waiters. Needs above it: fair_waiter, `now` (the server's time in ms) and `waiter_timeout` (in ms).

-- The score of a waiter after a sign of life, with `foreign` waiters of Redisson ahead. As text: it is used repeatedly.
local function score_behind(foreign) return string.format('%.0f', now + waiter_timeout + foreign_share * foreign) end

-- ZADD of {score, member ...}, in parts: Lua passes some thousand arguments at most.
local function add(key, all)
    for i = 1, #all, 2000 do
        redis.call('zadd', key, unpack(all, i, math.min(i + 1999, #all)))
    end
end

-- Gives a new key a time to live. The user may lack the right to PEXPIRE: then the key is deleted, and the second call
-- ends the script with the server's error.
local function set_life(key)
    if type(redis.pcall('pexpire', key, one_day)) ~= 'table' then return end
    redis.pcall('unlink', key)
    redis.call('pexpire', key, one_day)
end

-- Records that a script refreshed the queue now, and the signs of life {score, holder ...} of its waiters. In a new
-- queue no waiter can have been silent.
local function record_signs(signs, is_new)
    local last_check = not is_new and redis.call('zscore', KEYS[4], '#seen')
    if was_silent(last_check, now, waiter_timeout) then add(KEYS[4], {now + waiter_timeout, '#calm'}) end
    signs[#signs + 1] = now
    signs[#signs + 1] = '#seen'
    add(KEYS[4], signs)
    if not last_check then set_life(KEYS[4]) end
end
