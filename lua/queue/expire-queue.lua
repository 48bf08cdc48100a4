-- One slice of the expiration of a queue: uids behind the cursor, in their order, until one is not due.
-- KEYS meta, msgs, counter, idle, consuming, confirmed, dropped. ARGV queue, 'after' and microseconds, or 'last' and a
-- count, then cursor and size of the slice. Answers {removed, next cursor or -1}. What is being consumed is passed
-- over. `floor:<queue>` in meta: up to there nothing is left, so that a scan from 0 costs what is there, not what ever
-- was.
-- include _clock.lua
local now = tick(KEYS[1], 1)
if not now then return redis.error_reply(GONE) end
local floorField = 'floor:' .. ARGV[1]
local floor = tonumber(redis.call('HGET', KEYS[1], floorField) or '0')
local cursor = math.max(tonumber(ARGV[4]), floor)
local counter = tonumber(redis.call('GET', KEYS[3]) or '0')
local after = ARGV[2] == 'after'
local bound = tonumber(ARGV[3])
local uids = {}
local unbroken = cursor == floor
local stopped = false
local last = math.min(counter, cursor + tonumber(ARGV[5]))
local uid = cursor
while uid < last do
  local text = digits(uid + 1)
  local record = redis.call('HGET', KEYS[2], text)
  if after then
    local published = record and tonumber(string.match(record, '^(%d+)'))
    stopped = published and published > now - bound
  else
    stopped = uid + 1 > counter - bound
  end
  if stopped then break end
  uid = uid + 1
  if record then
    if redis.call('ZSCORE', KEYS[5], text) then
      unbroken = false
    else
      uids[#uids + 1] = text
    end
  end
  if unbroken then floor = uid end
end
if #uids > 0 then
  for _, set in ipairs({ 4, 6, 7 }) do callInChunks('ZREM', KEYS[set], uids) end
  callInChunks('HDEL', KEYS[2], uids)
end
redis.call('HSET', KEYS[1], floorField, digits(floor))
return { #uids, (stopped or uid == counter) and '-1' or digits(uid) }
