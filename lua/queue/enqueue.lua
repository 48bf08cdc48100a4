-- Puts what the filter accepted of the storage's uids in (from, to] into a queue, and moves the watermark.
-- KEYS meta, queues, watermark, msgs, counter and idle of the queue. ARGV queue, from, to, channel, then for each
-- message its storage uid, time of publishing and body. Answers {1, watermark}, or {0, watermark} when the watermark is
-- not at `from`: somebody else distributed meanwhile, and nothing is done. {-1, 0}: there is no such queue.
-- include _clock.lua
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return { -1, '0' } end
local mark = redis.call('HGET', KEYS[3], ARGV[1]) or '0'
if mark ~= ARGV[2] then return { 0, mark } end
local count = (#ARGV - 4) / 3
if count > 0 then
  local now = tick(KEYS[1], count)
  if not now then return redis.error_reply(GONE) end
  local first = redis.call('INCRBY', KEYS[5], count) - count + 1
  local records, times = {}, {}
  for i = 1, count do
    local at = 3 * i + 2
    local uid, score = digits(first + i - 1), digits(now + i - 1)
    records[2 * i - 1] = uid
    records[2 * i] = ARGV[at + 1] .. ' ' .. ARGV[at] .. ' ' .. score .. '\n' .. ARGV[at + 2]
    times[2 * i - 1] = score
    times[2 * i] = uid
  end
  callInChunks('HSET', KEYS[4], records)
  callInChunks('ZADD', KEYS[6], times)
  redis.call('PUBLISH', ARGV[4], digits(count))
end
redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
return { 1, ARGV[3] }
