-- Forgets dispatches that are materialized in every lane.
-- KEYS 1 wm, 2 dispatches   ARGV 1 epoch, 2 up_to: the greatest offset that has left the window of deduplication
-- Answers how many were forgotten: those at or below both up_to and the lowest W, never above.
-- include _watermark.lua
-- include _lanes.lua

local blob, layout = watermark(KEYS[1], ARGV[1])
if not blob then return layout end
local ws, fault = lanes(blob)
if not ws then return fault end
local lowest = tonumber(ARGV[2])
for i = 1, LANES do
  if ws[i] < lowest then lowest = ws[i] end
end
if lowest == EMPTY then return 0 end
return redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%d', lowest))
