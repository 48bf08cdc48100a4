-- Whether a dispatch is to be materialized: its first appearance in the log is, a second one is not.
-- KEYS 1 wm, 2 dispatches, 3 dispatches of earlier logs   ARGV 1 epoch, 2 log_offset, 3 dispatch_id
-- Answers 'fresh', 'replay' (the same record again) or 'duplicate'.
-- include _watermark.lua
-- include _lanes.lua

local blob, layout = watermark(KEYS[1], ARGV[1])
if not blob then return layout end
local ws, fault = lanes(blob)
if not ws then return fault end
if redis.call('ZSCORE', KEYS[3], ARGV[3]) then return 'duplicate' end
local seen = redis.call('ZSCORE', KEYS[2], ARGV[3])
if not seen then
  redis.call('ZADD', KEYS[2], ARGV[2], ARGV[3])
  return 'fresh'
end
return tonumber(seen) == tonumber(ARGV[2]) and 'replay' or 'duplicate'
