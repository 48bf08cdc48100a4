-- Removes a user's events below a sequence and moves the trim watermark, never above what was seen of the user.
-- KEYS 1 mbmeta, 2 mbdays, 3 mbseqbucket, 4 the stream, only in that layout
-- ARGV 1 the epoch as four hex digits, 2 seconds the clock is ahead, 3 the offset everything below which goes,
-- 4 that sequence in decimal, 5 and 6 what stands before and behind the day in the name of a bucket
-- Answers the trim watermark (an offset, -1 for none).
-- include _retention.lua
-- include _promote.lua

local prefix, before = ARGV[1], tonumber(ARGV[3])
local now = tonumber(redis.call('TIME')[1]) + tonumber(ARGV[2])
local plan, fault = plan_of(KEYS[1], KEYS[2], KEYS[3], prefix, now)
if not plan then return fault end
local trim = math.min(before - 1, plan.highest)
if trim <= plan.trim then
  commit(plan, KEYS[1], KEYS[2], KEYS[3], KEYS[4], prefix)
  return plan.trim
end
commit(plan, KEYS[1], KEYS[2], KEYS[3], KEYS[4], prefix)
if KEYS[4] and redis.call('EXISTS', KEYS[4]) == 1 then redis.call('XTRIM', KEYS[4], 'MINID', ARGV[4] .. '-0') end

local low, high, count
for i = 1, #plan.days do
  local day, score = string.format('%d', plan.days[i]), string.format('%d', plan.expiries[i])
  local bucket = ARGV[5] .. day .. ARGV[6]
  local members = redis.call('ZRANGEBYSCORE', KEYS[3], score, score)
  for j = 1, #members do
    if tonumber(string.sub(members[j], 5), 16) >= before then break end
    redis.call('ZREM', KEYS[3], members[j])
  end
  if plan.maxima[i] < before then
    if not KEYS[4] then redis.call('DEL', bucket) end
    redis.call('HDEL', KEYS[1], 'bucket_max_seq:' .. day, 'bucket_expires_at:' .. day)
    redis.call('ZREM', KEYS[2], day)
  else
    if not KEYS[4] then redis.call('ZREMRANGEBYSCORE', bucket, '-inf', '(' .. ARGV[3]) end
    count = (count or 0) + 1
    low, high = math.min(low or plan.days[i], plan.days[i]), math.max(high or plan.days[i], plan.days[i])
  end
end
redis.call('HSET', KEYS[1], 'active_day_count', count or 0, 'trim_watermark', seq_text(prefix, trim))
if count then
  redis.call('HSET', KEYS[1], 'min_day', string.format('%d', low), 'max_day', string.format('%d', high))
else
  redis.call('HDEL', KEYS[1], 'min_day', 'max_day')
end
return trim
