-- Offline: rewrites the watermarks of a fenced shard in another layout. Verifies before and after; the lanes say the
-- same.
-- KEYS 1 registry, 2 wm   ARGV 1 'packed-v1' or 'packed-v2', 2 '1' to write nothing
-- Answers {layout before, layout after, epoch, blob}. The 192 fields become packed-v1; their epoch is the registry's.
-- include _watermark.lua
-- include _lanes.lua

local registered = redis.call('HMGET', KEYS[1], 'waiting', 'epoch')
if registered[1] ~= '1' then
  return redis.error_reply('MBXNOTFENCED the owner may still be writing')
end

local function legacy_lanes()
  local raw, fields = redis.call('HGETALL', KEYS[2]), {}
  for i = 1, #raw, 2 do fields[raw[i]] = raw[i + 1] end
  local ws, floors = {}, {}
  for i = 1, LANES do
    local numbers = {}
    for j, name in ipairs({ 'w:', 'w_floor:', 'w_recomputed:' }) do
      local text = fields[name .. (i - 1)]
      if not text then return nil, damaged('field ' .. name .. (i - 1) .. ' is missing') end
      numbers[j] = text == '' and EMPTY or (string.find(text, '^%d+$') and tonumber(text))
      if not numbers[j] or numbers[j] > 281474976710655 then
        return nil, damaged('field ' .. name .. (i - 1) .. ' is no offset')
      end
    end
    if numbers[1] ~= numbers[3] then return nil, damaged('lane ' .. (i - 1) .. ': W differs from W_recomputed') end
    if numbers[1] < numbers[2] then return nil, damaged('lane ' .. (i - 1) .. ': W is below W_floor') end
    if (numbers[1] == EMPTY) ~= (numbers[2] == EMPTY) then
      return nil, damaged('lane ' .. (i - 1) .. ': an empty lane holds an offset')
    end
    ws[i], floors[i] = numbers[1], numbers[2]
  end
  return ws, floors
end

local before, epoch, ws, floors
if redis.call('HLEN', KEYS[2]) == 3 * LANES then
  before, epoch = 'legacy-192', registered[2]
  if ARGV[1] ~= 'packed-v1' then return redis.error_reply('MBXLEGACY convert the 192 fields to packed-v1 first') end
  ws, floors = legacy_lanes()
else
  local blob, layout, stored = watermark(KEYS[2])
  if not blob then return layout end
  before, epoch = layout, stored
  ws, floors = lanes(blob)
end
if not ws then return floors end

local blob
if ARGV[1] == 'packed-v2' then
  blob = packed(ws, floors)
else
  local records = {}
  for i = 1, LANES do
    records[i] = ws[i] == EMPTY and string.rep('\0', LANE_BYTES) or record(ws[i], floors[i])
  end
  blob = table.concat(records)
end

local function differs(other)
  local again, floors_again = lanes(other)
  if not again then return true end
  for i = 1, LANES do
    if again[i] ~= ws[i] or floors_again[i] ~= floors[i] then return true end
  end
  return false
end

if differs(blob) then return damaged('the new blob does not say the same') end
if ARGV[2] ~= '1' and before ~= ARGV[1] then
  if before == 'legacy-192' then redis.call('DEL', KEYS[2]) end
  redis.call('HSET', KEYS[2], 'wm_layout', ARGV[1], 'wm_epoch', epoch, 'wm_blob', blob)
  local stored, layout = watermark(KEYS[2])
  if not stored then return layout end
  if layout ~= ARGV[1] or differs(stored) then return damaged('what was written does not say the same') end
end
return { before, ARGV[1], epoch, blob }
