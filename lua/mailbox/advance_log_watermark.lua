-- Moves the watermark of one lane when it stands where the caller says.
-- KEYS 1 wm   ARGV 1 epoch, 2 lane, 3 expected_previous ('' for an empty lane), 4 log_offset
-- Answers {'advanced'}, {'past', W} when it stands there or further, {'gap', W} when elsewhere (W '' for an empty
-- lane).
-- include _watermark.lua
-- include _lanes.lua

local blob, layout = watermark(KEYS[1], ARGV[1])
if not blob then return layout end
local ws, floors = lanes(blob)
if not ws then return floors end
local at, expected, offset = tonumber(ARGV[2]) + 1, tonumber(ARGV[3]) or EMPTY, tonumber(ARGV[4])
local w = ws[at]
if w >= offset then return { 'past', string.format('%d', w) } end
if w ~= expected then return { 'gap', w == EMPTY and '' or string.format('%d', w) } end
if floors[at] == EMPTY then floors[at] = offset end
ws[at] = offset
redis.call('HSET', KEYS[1], 'wm_layout', 'packed-v2', 'wm_blob', packed(ws, floors))
return { 'advanced' }
