-- Deletes a storage. KEYS the queues' hash, then all other keys, those of its queues included. ARGV the queues' names
-- as the caller saw them: when they are others by now, nothing is done and the answer is -1.
local known = {}
for _, name in ipairs(ARGV) do known[name] = true end
local names = redis.call('HKEYS', KEYS[1])
if #names ~= #ARGV then return -1 end
for _, name in ipairs(names) do
  if not known[name] then return -1 end
end
local removed = 0
for from = 1, #KEYS, 1000 do
  removed = removed + redis.call('UNLINK', unpack(KEYS, from, math.min(from + 999, #KEYS)))
end
return removed
