-- Ends leases that have passed. KEYS meta, queues, msgs, idle, consuming. ARGV queue, how many at most, channel.
-- Answers how many.
-- include _clock.lua
-- include _leases.lua
local lease = leaseUs(KEYS[2], ARGV[1])
if not lease then return redis.error_reply('MQNOQUEUE ' .. ARGV[1]) end
local now = tick(KEYS[1], 1)
if not now then return redis.error_reply(GONE) end
local returned = returnExpired(KEYS[4], KEYS[5], KEYS[3], now - lease, tonumber(ARGV[2]))
if returned > 0 then redis.call('PUBLISH', ARGV[3], digits(returned)) end
return returned
