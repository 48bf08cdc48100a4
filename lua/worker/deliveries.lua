-- How often entries were delivered. KEYS stream. ARGV group, ids …. Answers a number each, 0 for what is not pending.
-- include _pending.lua
local counts = {}
for i = 2, #ARGV do
  local row = pendingRow(KEYS[1], ARGV[1], ARGV[i])
  counts[#counts + 1] = row and row[4] or 0
end
return counts
