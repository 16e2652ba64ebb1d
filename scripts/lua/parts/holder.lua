-- Recognises the locks of Holdfast and Redisson, so that no other key is deleted. KEYS[1]: the lock.

-- "<uuid>:<number>", perhaps with more behind a further colon.
local function is_holder(text)
    local more = string.match(text, '^%x+%-%x+%-%x+%-%x+%-%x+:%-?%d+(.?)')
    return (more == '' or more == ':') and string.byte(text, 37) == 58
end

-- "<uuid>:", with anything behind, as the places in a queue.
local function is_place(text)
    return string.byte(text, 37) == 58 and string.find(text, '^%x+%-%x+%-%x+%-%x+%-%x+:') == 1
end

local function is_count(text) return string.find(text, '^%d+$') ~= nil end

local function refuse(found)
    return redis.error_reply('WRONGTYPE not a lock: a ' .. found .. '; it stays as it is')
end
