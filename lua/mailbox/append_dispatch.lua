-- Appends a record to a partition of the dispatch log: its ID is <offset>-0, offsets have no holes.
-- KEYS 1 the stream, 2 its last offset   ARGV 1 dispatch_id, 2 committed_at in ms, 3 recipients
-- Answers the offset.
local function add(offset)
  if offset > 281474976710655 then return redis.error_reply('MBXOVERFLOW the partition has used all its offsets') end
  return redis.pcall('XADD', KEYS[1], string.format('%d-0', offset), 'd', ARGV[1], 't', ARGV[2], 'b', ARGV[3])
end

local offset = redis.call('INCR', KEYS[2])
local added = add(offset)
if type(added) == 'table' and added.err and redis.call('EXISTS', KEYS[1]) == 1 then
  -- The counter was lost: the stream itself knows.
  local info = redis.call('XINFO', 'STREAM', KEYS[1])
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then offset = tonumber(string.match(info[i + 1], '^%d+')) + 1 end
  end
  added = add(offset)
  if not (type(added) == 'table' and added.err) then redis.call('SET', KEYS[2], string.format('%d', offset)) end
end
if type(added) == 'table' and added.err then return added end
return offset
