-- A part.
local second = 2
