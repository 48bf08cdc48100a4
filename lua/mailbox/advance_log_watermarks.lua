-- Moves the watermarks of many lanes, all or nothing.
-- KEYS 1 wm   ARGV 1 epoch, 2 log_offset, then either '*', expected_previous for all 64 lanes, or pairs lane,
-- expected_previous ('' for an empty lane).
-- Answers {'advanced'}, {'past'} when every named lane stands at the offset or further, else {'gap', lane, W} of the
-- first lane that stands elsewhere (W '' for an empty lane).
-- include _watermark.lua
-- include _lanes.lua

local blob, layout = watermark(KEYS[1], ARGV[1])
if not blob then return layout end
local offset = tonumber(ARGV[2])
local all = ARGV[3] == '*'

if all and #blob == LANE_BYTES then
  local w, floor = lane(blob, 0)
  if not w then return damaged('all lanes: ' .. floor) end
  if w >= offset then return { 'past' } end
  if w ~= (tonumber(ARGV[4]) or EMPTY) then return { 'gap', 0, w == EMPTY and '' or string.format('%d', w) } end
  if floor == EMPTY then floor = offset end
  redis.call('HSET', KEYS[1], 'wm_layout', 'packed-v2', 'wm_blob', record(offset, floor))
  return { 'advanced' }
end

local ws, floors = lanes(blob)
if not ws then return floors end
local past, gap = true, nil
local function move(at, expected)
  local w = ws[at]
  past = past and w >= offset
  if w ~= expected or w >= offset then gap = gap or { at - 1, w == EMPTY and '' or string.format('%d', w) } end
  if floors[at] == EMPTY then floors[at] = offset end
  ws[at] = offset
end
if all then
  for i = 1, LANES do move(i, tonumber(ARGV[4]) or EMPTY) end
else
  for i = 3, #ARGV, 2 do move(tonumber(ARGV[i]) + 1, tonumber(ARGV[i + 1]) or EMPTY) end
end
if past then return { 'past' } end
if gap then return { 'gap', gap[1], gap[2] } end
redis.call('HSET', KEYS[1], 'wm_layout', 'packed-v2', 'wm_blob', packed(ws, floors))
return { 'advanced' }
