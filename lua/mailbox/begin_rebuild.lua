-- Forgets the events of a user in one epoch, so that the dispatch log can be replayed; the boundaries stay if they can
-- be read.
-- KEYS 1 wm, 2 mbmeta, 3 mbdays, 4 mbseqbucket, 5 the stream, only in that layout
-- ARGV 1 epoch of the owner, 2 the epoch as four hex digits, 3 seconds the clock is ahead, 4 and 5 what stands before
-- and behind the day in the name of a bucket
-- include _watermark.lua
-- include _retention.lua

local blob, fault = watermark(KEYS[1], ARGV[1])
if not blob then return fault end
local prefix = ARGV[2]
local kept = redis.pcall('HMGET', KEYS[2], 'expired_gap_boundary', 'trim_watermark')
local gap = not kept.err and kept[1] and offset_in(kept[1], prefix) or -1
local trim = not kept.err and kept[2] and offset_in(kept[2], prefix) or -1
redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
if KEYS[5] then
  redis.call('DEL', KEYS[5])
else
  local today = math.floor((tonumber(redis.call('TIME')[1]) + tonumber(ARGV[3])) / DAY_S)
  for day = today - SPAN_DAYS - 1, today + SPAN_DAYS do
    redis.call('DEL', ARGV[4] .. string.format('%d', day) .. ARGV[5])
  end
end
if gap >= 0 or trim >= 0 then
  -- highest_seq is not raised to the gap: what the log replays in active days may lie below what has expired.
  redis.call('HSET', KEYS[2], 'retention_format_version', '4', 'active_day_count', 0)
  if gap >= 0 then redis.call('HSET', KEYS[2], 'expired_gap_boundary', seq_text(prefix, gap)) end
  if trim >= 0 then
    redis.call('HSET', KEYS[2], 'trim_watermark', seq_text(prefix, trim), 'highest_seq', seq_text(prefix, trim))
  end
end
return redis.status_reply('OK')
