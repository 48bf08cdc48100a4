-- Watermarks of a shard, wm:{shard}: a hash of exactly three fields. The bytes are drawn in docs/format/mailbox.md.
-- A blob of 19 bytes says by its length that all 64 lanes are equal; nothing is compared or repeated then.
local LANE_BYTES, LANES, BLOB_BYTES = 19, 64, 1216
local EMPTY = -1 -- W of an empty lane

local function damaged(reason) return redis.error_reply('MBXWATERMARK ' .. reason) end

-- Answers blob, layout, epoch; or nil and the error. `epoch` is the caller's, nil for readers.
local function watermark(key, epoch)
  local raw = redis.call('HGETALL', key)
  if #raw ~= 6 then
    if #raw == 0 then return nil, redis.error_reply('MBXNOTOPEN the shard has no watermarks yet') end
    if #raw == 384 then
      return nil, redis.error_reply('MBXLEGACY the watermarks are in the layout of 192 fields')
    end
    return nil, damaged('the hash has ' .. #raw / 2 .. ' fields, not 3')
  end
  local layout, stored, blob
  for i = 1, 5, 2 do
    local name = raw[i]
    if name == 'wm_blob' then blob = raw[i + 1]
    elseif name == 'wm_epoch' then stored = raw[i + 1]
    elseif name == 'wm_layout' then layout = raw[i + 1] end
  end
  if not (layout and stored and blob) then return nil, damaged('a field has another name') end
  if layout == 'packed-v2' then
    if #blob ~= LANE_BYTES and #blob ~= BLOB_BYTES then
      return nil, damaged('wm_blob of packed-v2 has ' .. #blob .. ' bytes, not 19 or 1216')
    end
  elseif layout == 'packed-v1' then
    if #blob ~= BLOB_BYTES then return nil, damaged('wm_blob of packed-v1 has ' .. #blob .. ' bytes, not 1216') end
  else
    return nil, damaged('wm_layout is unknown')
  end
  if stored ~= epoch then
    local number = string.find(stored, '^[1-9]%d?%d?%d?%d?$') and tonumber(stored)
    if not number or number > 65535 then return nil, damaged('wm_epoch is no epoch') end
    if epoch and number > tonumber(epoch) then
      return nil, redis.error_reply('MBXFENCED epoch ' .. epoch .. ' is over, the shard is in ' .. stored)
    elseif epoch then
      return nil, redis.error_reply('MBXNOTOPEN epoch ' .. epoch .. ' is not open, the shard is in ' .. stored)
    end
  end
  return blob, layout, stored
end

-- W and W_floor of the record at byte `at` (from 0), EMPTY when the lane is empty; or nil and what is wrong with it.
local function lane(blob, at)
  local presence, w, floor, recomputed = struct.unpack('>BI6I6I6', blob, at + 1)
  if presence == 1 then
    if w ~= recomputed then return nil, 'W differs from W_recomputed' end
    if w < floor then return nil, 'W is below W_floor' end
    return w, floor
  end
  if presence ~= 0 then return nil, 'presence is neither 0 nor 1' end
  if w + floor + recomputed ~= 0 then return nil, 'an empty lane holds bytes' end
  return EMPTY, EMPTY
end

local function record(w, floor) return struct.pack('>BI6I6I6', 1, w, floor, w) end
