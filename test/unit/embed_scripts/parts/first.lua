-- A part that begins with another part.
-- include second
local first = second
