-- Stores messages under the next uids. KEYS meta, msgs, counter, bytime. ARGV channel, producer, sequence, bodies ….
-- Answers {first uid, its time}; each further message lies a microsecond later. A producer's last sequence is kept with
-- its answer: asked again after a lost reply, it is answered again and nothing is stored twice.
-- include _clock.lua
local producer = 'p:' .. ARGV[2]
local meta = redis.call('HMGET', KEYS[1], 'clock', producer)
if not meta[1] then return redis.error_reply(GONE) end
local before = meta[2]
if before then
  local sequence, first, at = string.match(before, '^(%d+) (%d+) (%d+)$')
  if sequence == ARGV[3] then return { first, at } end
end
local count = #ARGV - 3
local now = timeAfter(meta[1])
local last = redis.call('INCRBY', KEYS[3], count)
local first = last - count + 1
local records, times = {}, {}
for i = 1, count do
  local uid, at = digits(first + i - 1), digits(now + i - 1)
  records[2 * i - 1] = uid
  records[2 * i] = at .. '\n' .. ARGV[3 + i]
  times[2 * i - 1] = at
  times[2 * i] = uid
end
callInChunks('HSET', KEYS[2], records)
callInChunks('ZADD', KEYS[4], times)
local answered = ARGV[3] .. ' ' .. digits(first) .. ' ' .. digits(now)
redis.call('HSET', KEYS[1], 'clock', digits(now + count - 1), producer, answered)
redis.call('PUBLISH', ARGV[1], digits(last))
return { digits(first), digits(now) }
