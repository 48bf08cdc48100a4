-- Raises the epoch of a shard, or hands out one that waits for its owner. Everything in one step: the registry, the
-- boundary, the fence in wm_epoch, and what is forgotten of dispatches that were not yet materialized.
-- KEYS 1 registry, 2 boundaries, 3 splits, 4 wm, 5 dispatches, 6 dispatches of earlier logs
-- ARGV 1 'take' or 'raise' or 'fence', 2 owner, 3 kind (E1 to E4), 4 time in ms, 5 the epoch the caller thinks is
-- current or '', 6 an epoch known from elsewhere or '', 7 seconds an earlier log's dispatches are remembered,
-- 8 split_at (a log offset) or '', 9 the words of the split boundary, 10 1 for a new log (E3, E4)
-- Answers {epoch, start}.
-- include _watermark.lua
-- include _lanes.lua

local mode, owner, kind = ARGV[1], ARGV[2], ARGV[3]
local registered = redis.call('HMGET', KEYS[1], 'epoch', 'waiting', 'start')
local blob, layout, stored = watermark(KEYS[4])
local ws, floors
if blob then
  ws, floors = lanes(blob)
  if not ws then blob, layout = nil, floors end
end
local absent = redis.call('EXISTS', KEYS[4]) == 0
if not blob and not absent and mode ~= 'fence' then return layout end

local current = math.max(tonumber(registered[1]) or 0, tonumber(stored or '') or 0, tonumber(ARGV[6]) or 0)
if ARGV[5] ~= '' and tonumber(ARGV[5]) ~= current then
  return redis.error_reply('MBXFENCED epoch ' .. ARGV[5] .. ' is not the current one, which is ' .. current)
end
local isWaiting = registered[2] == '1' and tonumber(registered[1]) == current
if isWaiting and mode ~= 'raise' then
  if mode == 'take' then redis.call('HSET', KEYS[1], 'owner', owner, 'waiting', '0') end
  return { current, registered[3] }
end
if current >= 65535 then return redis.error_reply('MBXOVERFLOW the shard has used all its epochs') end

local lowest, highest = EMPTY, EMPTY
if blob then
  lowest = ws[1]
  for i = 1, LANES do
    if ws[i] < lowest then lowest = ws[i] end
    if ws[i] > highest then highest = ws[i] end
  end
end
if ARGV[8] ~= '' and lowest < tonumber(ARGV[8]) - 1 then
  return redis.error_reply('MBXNOTDRAINED the lowest watermark is ' .. lowest .. ', the split at ' .. ARGV[8])
end

local raised, isNewLog = current + 1, ARGV[10] == '1'
local start = string.format('%04x%012x', raised, (isNewLog and EMPTY or lowest) + 1)
local ended = highest ~= EMPTY and string.format('%04x%012x', current, highest) or ''
local epoch = string.format('%d', raised)
redis.call('HSET', KEYS[1], 'epoch', epoch, 'start', start,
  'owner', mode == 'take' and owner or '', 'waiting', mode == 'take' and '0' or '1')
redis.call('HSET', KEYS[2], epoch, table.concat({ kind, ARGV[4], string.format('%d', current), ended, start }, ' '))
if ARGV[9] ~= '' then redis.call('RPUSH', KEYS[3], ARGV[9]) end
if absent or (blob and isNewLog) then
  redis.call('HSET', KEYS[4], 'wm_layout', 'packed-v2', 'wm_epoch', epoch, 'wm_blob', string.rep('\0', LANE_BYTES))
elseif blob then
  redis.call('HSET', KEYS[4], 'wm_epoch', epoch)
end
-- What stands above the lowest watermark may be half done: it will be materialized under the new epoch.
redis.call('ZREMRANGEBYSCORE', KEYS[5], string.format('(%d', lowest), '+inf')
if isNewLog and redis.call('EXISTS', KEYS[5]) == 1 then
  redis.call('ZUNIONSTORE', KEYS[6], 2, KEYS[6], KEYS[5])
  redis.call('EXPIRE', KEYS[6], ARGV[7])
  redis.call('DEL', KEYS[5])
end
return { raised, start }
