-- The slots of a reader.

-- include number

-- The numbers of the slots of a reader with that many holds, from its field in the lock. Of more than a thousand only the
-- last ones: a field may have any value.
local function slot_numbers(holds)
    local last = to_number(holds) or 0
    return last, math.max(1, last - 999)
end
