-- Delivers entries of this consumer to it once more: their delivery counts rise, their idle times begin anew.
-- KEYS stream. ARGV group, consumer, ids …. Answers {{{id, fields, deliveries} …}, {ids that are not ours any more …},
-- {ids whose payload is gone …}}.
-- include _pending.lua
local group, consumer = ARGV[1], ARGV[2]
local entries, lost, gone = {}, {}, {}
for i = 3, #ARGV do
  local id = ARGV[i]
  local row = pendingRow(KEYS[1], group, id, consumer)
  if not row then
    local list = forgotten(KEYS[1], group, id) and gone or lost
    list[#list + 1] = id
  else
    local claimed = redis.call('XCLAIM', KEYS[1], group, consumer, 0, id)
    if claimed[1] then
      entries[#entries + 1] = { id, claimed[1][2], row[4] + 1 }
    else
      gone[#gone + 1] = id
    end
  end
end
return { entries, lost, gone }
