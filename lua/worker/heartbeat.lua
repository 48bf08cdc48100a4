-- Tells that jobs are still being worked on: their idle times begin anew, their delivery counts stay. KEYS stream.
-- ARGV group, consumer, ids …. Answers {{ids that are not ours any more …}, {ids whose payload is gone …}}. What
-- another consumer has taken over is not taken back.
-- include _pending.lua
local group, consumer = ARGV[1], ARGV[2]
local lost, gone, mine = {}, {}, {}
for i = 3, #ARGV do
  local id = ARGV[i]
  local list = mine
  if not pendingRow(KEYS[1], group, id, consumer) then list = forgotten(KEYS[1], group, id) and gone or lost end
  list[#list + 1] = id
end
for _, id in ipairs(mine) do
  if #redis.call('XCLAIM', KEYS[1], group, consumer, 0, id, 'JUSTID') == 0 then gone[#gone + 1] = id end
end
return { lost, gone }
