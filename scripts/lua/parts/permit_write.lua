-- Writes the score of each member, with the options of ZADD that follow. Returns how many were added, and the error of a
-- refused call, if any: members before it are written then. In parts: Lua passes some thousand arguments at most.
local function write_scores(members, score, ...)
    -- As text: formatting a number costs Lua half as much as a command.
    local added, text = 0, string.format('%.0f', score)
    for i = 1, #members, 1000 do
        local words = {...}
        for j = i, math.min(i + 999, #members) do
            words[#words + 1] = text
            words[#words + 1] = members[j]
        end
        local done = redis.pcall('zadd', KEYS[2], unpack(words))
        if type(done) == 'table' then return added, done end
        added = added + done
    end
    return added, nil
end
