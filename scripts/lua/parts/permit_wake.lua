-- Notifies clients that wait for permits. Needs above it: permits, permit_waiting, `now` (0: the server is asked for it).

-- After this time, the default of config::poll_interval, waiters look again in any case.
local soon = 5000

-- Returns a function that returns whether so many permits have ended and are not counted yet, or end within that time. It
-- reads no more of them than it needs, and none twice. If that is not enough it doubles what it has read: the server goes
-- over all of these to find the next ones.
local function count_ending(within)
    local ending, read, more = 0, 0, true
    return function(count)
        if now == 0 then
            local time = redis.call('time')
            now = time[1] * 1000 + math.floor(time[2] / 1000)
        end
        while ending < count and more do
            local wanted = math.min(math.max(count - ending, read), most_read - read)
            local is_read, over, some = pcall(ended_by, now + within, read, wanted)
            more = is_read and some == wanted and wanted > 0
            if is_read then ending, read = ending + #over, read + some end
        end
        return ending >= count
    end
end

-- Notifies those whose permits are free, `most` clients at most, those with the least weight first: one that is not
-- there any more is left out. If too few are free for the next one, but enough with those that end within a time (nil:
-- soon), it is notified, too, so that it learns when, and keeps its place. Returns how many other clients than that of
-- `holder` received a message.
local function wake(channel, free, most, holder, within)
    local others, tries = 0, 500 -- of waiters that are not there any more
    local are_ending = count_ending(within or soon)
    while most > 0 and tries > 0 do
        tries = tries - 1
        local first = redis.pcall('zrange', KEYS[3], '0', '0', 'WITHSCORES')
        if not first[1] then break end
        local weight = math.floor(first[2] / one_weight)
        local is_free = weight <= free
        if not is_free and not are_ending(weight - free) then break end
        local client = string.sub(first[1], 1, 36)
        local receivers = redis.pcall('publish', channel .. ':' .. client, '0')
        if type(receivers) ~= 'number' then break end
        if receivers > 0 and client ~= string.sub(holder, 1, 36) then others = others + 1 end
        if receivers > 0 and not is_free then break end
        if not stop_waiting(first[1]) then break end
        if receivers > 0 then free, most = free - weight, most - 1 end
    end
    return others
end
