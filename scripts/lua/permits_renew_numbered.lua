-- As permits_renew, for grants with numbers, which it keeps as long as the permits. A grant whose number
-- was lost is lost: another holder may get the number.
-- KEYS  for each grant: counter, timeouts, numbers
-- ARGV  for each grant: holder, weight, lease time in ms
-- returns, errors: as permits_renew
-- redis.calls: as permits_renew, and for each semaphore one pexpire more
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local keys_of_each = 3
-- include permit_renewal
