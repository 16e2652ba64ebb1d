-- Notifies the first waiter of a fair semaphore. KEYS[3] is its queue; without that key the semaphore is not fair.
local function notify_first(channel)
    local first = KEYS[3] and redis.pcall('zrange', KEYS[3], '0', '0')[1]
    if first then redis.pcall('publish', channel .. ':' .. first, '0') end
end
