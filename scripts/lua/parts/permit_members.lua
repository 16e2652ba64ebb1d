-- Adds the members of a grant of that weight to a list.
local function add_members(list, holder, weight)
    list[#list + 1] = holder
    for i = 2, weight do list[#list + 1] = holder .. '/' .. i end
end
