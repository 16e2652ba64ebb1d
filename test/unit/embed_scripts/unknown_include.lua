-- A script with a line that includes nothing: the name of a part has no hyphen.
local first = 1
-- include the-first
return first
