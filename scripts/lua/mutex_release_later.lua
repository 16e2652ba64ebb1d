-- Releases a mutex after a time, if it still has this token: until then it stays locked, by no holder. Notifies the
-- waiters, which learn the new time to live.
-- KEYS  lock
-- ARGV  token, channel, time in ms until it ends, at least 1
-- returns 0: another token or no key, nothing changed; n > 0: it ends after that time, n - 1 subscribers received the
--   message
-- errors WRONGTYPE: the lock is not a string
-- redis.calls: getrange, pexpire, publish
if redis.call('getrange', KEYS[1], '0', '255') ~= ARGV[1] then return 0 end
redis.call('pexpire', KEYS[1], ARGV[3])
local receivers = redis.pcall('publish', ARGV[2], '0')
return type(receivers) == 'number' and receivers + 1 or 1
