-- The scores of members, in their order; false: it is no member. In parts: Lua passes some thousand arguments at most.
local function scores_of(members)
    local scores = {}
    for i = 1, #members, 1000 do
        local part = redis.call('zmscore', KEYS[2], unpack(members, i, math.min(i + 999, #members)))
        for j = 1, math.min(1000, #members - i + 1) do scores[i + j - 1] = part[j] end
    end
    return scores
end
