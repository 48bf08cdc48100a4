-- One slice of the expiration of a storage. KEYS meta, msgs, bytime, watermark. ARGV 'after' and microseconds, or
-- 'last' and a count, then the size of the slice. Answers {removed, how many of them no filter had been offered}.
-- Producers that have not been heard for a day are forgotten here, when there are many.
-- include _clock.lua
local PRODUCERS_KEPT = 256
local DAY_US = 86400000000
local now = tick(KEYS[1], 1)
if not now then return redis.error_reply(GONE) end
if redis.call('HLEN', KEYS[1]) > PRODUCERS_KEPT then
  local fields = redis.call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    local heard = string.sub(fields[i], 1, 2) == 'p:' and string.match(fields[i + 1], ' (%d+)$')
    if heard and tonumber(heard) < now - DAY_US then redis.call('HDEL', KEYS[1], fields[i]) end
  end
end
local limit = tonumber(ARGV[3])
local uids
if ARGV[1] == 'after' then
  uids = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', digits(now - tonumber(ARGV[2])), 'LIMIT', 0, limit)
else
  local over = redis.call('ZCARD', KEYS[3]) - tonumber(ARGV[2])
  if over <= 0 then return { 0, 0 } end
  uids = redis.call('ZRANGE', KEYS[3], 0, math.min(over, limit) - 1)
end
if #uids == 0 then return { 0, 0 } end
callInChunks('HDEL', KEYS[2], uids)
callInChunks('ZREM', KEYS[3], uids)
local lowest
for _, mark in ipairs(redis.call('HVALS', KEYS[4])) do
  if not lowest or tonumber(mark) < lowest then lowest = tonumber(mark) end
end
local undistributed = 0
for _, uid in ipairs(uids) do
  if lowest and tonumber(uid) > lowest then undistributed = undistributed + 1 end
end
return { #uids, undistributed }
