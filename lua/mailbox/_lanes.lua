-- All 64 lanes of a blob as two tables of W and W_floor (from 1); or nil and the error.
local function lanes(blob)
  local ws, floors = {}, {}
  if #blob == LANE_BYTES then
    local w, floor = lane(blob, 0)
    if not w then return nil, damaged('all lanes: ' .. floor) end
    for i = 1, LANES do ws[i], floors[i] = w, floor end
    return ws, floors
  end
  for i = 1, LANES do
    local w, floor = lane(blob, (i - 1) * LANE_BYTES)
    if not w then return nil, damaged('lane ' .. (i - 1) .. ': ' .. floor) end
    ws[i], floors[i] = w, floor
  end
  return ws, floors
end

-- The blob of packed-v2: 19 bytes when the lanes have become equal.
local function packed(ws, floors)
  local records, equal = {}, true
  for i = 1, LANES do
    records[i] = ws[i] == EMPTY and string.rep('\0', LANE_BYTES) or record(ws[i], floors[i])
    equal = equal and records[i] == records[1]
  end
  return equal and records[1] or table.concat(records)
end
