-- Takes over entries that have been pending for too long. KEYS stream. ARGV group, consumer, idle ms, cursor, count.
-- Answers {next cursor, {{id, fields, deliveries} …}, {ids whose payload is gone …}}. The server removes the latter
-- from the pending entries while it answers: whoever gets them is the last to hear of them.
-- include _pending.lua
local group = ARGV[1]
local reply = redis.call('XAUTOCLAIM', KEYS[1], group, ARGV[2], ARGV[3], ARGV[4], 'COUNT', ARGV[5])
local entries = {}
for _, entry in ipairs(reply[2]) do
  if entry and entry[2] then
    local row = pendingRow(KEYS[1], group, entry[1])
    entries[#entries + 1] = { entry[1], entry[2], row and row[4] or 1 }
  end
end
return { reply[1], entries, reply[3] or {} }
