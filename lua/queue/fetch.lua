-- Moves the oldest idle messages to one consumer. KEYS meta, queues, msgs, idle, consuming. ARGV queue, count, how many
-- leases may be ended before. Answers {time, leases ended, uid, record, uid, record …}; the time is the receipt.
-- include _clock.lua
-- include _leases.lua
local lease = leaseUs(KEYS[2], ARGV[1])
if not lease then return redis.error_reply('MQNOQUEUE ' .. ARGV[1]) end
local now = tick(KEYS[1], 1)
if not now then return redis.error_reply(GONE) end
local returned = returnExpired(KEYS[4], KEYS[5], KEYS[3], now - lease, tonumber(ARGV[3]))
local at = digits(now)
local answer = { at, returned }
local popped = redis.call('ZPOPMIN', KEYS[4], ARGV[2])
if #popped == 0 then return answer end
local uids, times = {}, {}
for i = 1, #popped, 2 do
  uids[#uids + 1] = popped[i]
  times[i] = at
  times[i + 1] = popped[i]
end
callInChunks('ZADD', KEYS[5], times)
local records = redis.call('HMGET', KEYS[3], unpack(uids))
for i, uid in ipairs(uids) do
  answer[#answer + 1] = uid
  answer[#answer + 1] = records[i]
end
return answer
