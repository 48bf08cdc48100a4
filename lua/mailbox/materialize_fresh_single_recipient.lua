-- The hot path: a record with one recipient is deduplicated, written and the watermark of all lanes moved, in one step.
-- KEYS 1 wm, 2 dispatches, 3 mbmeta, 4 mbdays, 5 mbseqbucket, 6 the day's bucket or the stream,
-- 7 dispatches of earlier logs, only when there are some
-- ARGV 1 epoch, 2 expected_previous ('' for empty lanes), 3 log_offset, 4 dispatch_id, from 5 on as _append.lua says
-- Answers what _append.lua says or 'duplicate', the watermark then stands at log_offset; or, with nothing written,
-- 'past' (materialized already), 'gap' (the lanes stand elsewhere) or 'diverged' (the lanes are not equal).
-- include _watermark.lua
-- include _retention.lua
-- include _promote.lua
-- include _append.lua

local blob, layout = watermark(KEYS[1], ARGV[1])
if not blob then return layout end
local expected, offset = tonumber(ARGV[2]) or EMPTY, tonumber(ARGV[3])
local w, floor = lane(blob, 0)
if not w then return damaged('lane 0: ' .. floor) end
if #blob ~= LANE_BYTES then
  local equal, past = true, w >= offset
  local first = string.sub(blob, 1, LANE_BYTES)
  for i = 1, LANES - 1 do
    local other, fault = lane(blob, i * LANE_BYTES)
    if not other then return damaged('lane ' .. i .. ': ' .. fault) end
    past = past and other >= offset
    equal = equal and string.sub(blob, i * LANE_BYTES + 1, (i + 1) * LANE_BYTES) == first
  end
  if past then return 'past' end
  if not equal then return 'diverged' end
end
if w >= offset then return 'past' end
if w ~= expected then return 'gap' end

local seen = redis.call('ZSCORE', KEYS[2], ARGV[4])
local isDuplicate = seen and tonumber(seen) ~= offset
if KEYS[7] and not seen then isDuplicate = redis.call('ZSCORE', KEYS[7], ARGV[4]) end
local outcome = 'duplicate'
if not isDuplicate then
  local fault
  outcome, fault = append(KEYS[3], KEYS[4], KEYS[5], KEYS[6], 5)
  if not outcome then return fault end
  if not seen then redis.call('ZADD', KEYS[2], ARGV[3], ARGV[4]) end
end
redis.call('HSET', KEYS[1], 'wm_layout', 'packed-v2', 'wm_blob', record(offset, floor == EMPTY and offset or floor))
return outcome
