-- Gives entries of this consumer back: they stay its own, but anybody may claim them at once. KEYS stream.
-- ARGV group, consumer, the idle time at which others claim, then for each its id and 1 when it was never begun: such a
-- delivery does not count. Answers how many were given back.
-- include _pending.lua
local group, consumer, idle = ARGV[1], ARGV[2], ARGV[3]
local given = 0
for i = 4, #ARGV, 2 do
  local id = ARGV[i]
  local row = pendingRow(KEYS[1], group, id, consumer)
  -- An entry whose payload is gone is left as it is: XCLAIM would remove the last trace of it.
  if row and entryFields(KEYS[1], id) then
    local deliveries = row[4]
    if ARGV[i + 1] == '1' then deliveries = math.max(deliveries - 1, 0) end
    redis.call('XCLAIM', KEYS[1], group, consumer, 0, id, 'IDLE', idle, 'RETRYCOUNT', deliveries, 'JUSTID')
    given = given + 1
  end
end
return given
