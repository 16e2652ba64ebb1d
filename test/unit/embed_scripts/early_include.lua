-- A script whose first line of code is a part: nothing but this comment is left out.

-- include first
-- include second
-- A comment that stays.
return first + second
