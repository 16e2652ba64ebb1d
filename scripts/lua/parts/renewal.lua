-- Renewals of a batch.

-- Whether the server refused that read, so that the owner of the key is unknown: the user may lack a right. A key of
-- another type is an answer.
local function is_refusal(reply) return type(reply) == 'table' and not string.find(reply.err, 'WRONGTYPE', 1, true) end
