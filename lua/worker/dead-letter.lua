-- Moves an entry of this consumer to the dead letters and acknowledges it. KEYS stream, dead-letter stream.
-- ARGV group, consumer, id, reason, deliveries, then the payload. Answers the dead letter's id, or false when the entry
-- is not this consumer's any more: then somebody else decides about it, unless only this process knows of it.
-- include _pending.lua
local group, consumer, id = ARGV[1], ARGV[2], ARGV[3]
if not pendingRow(KEYS[1], group, id, consumer) and not forgotten(KEYS[1], group, id) then return false end
local words = { 'dead.stream', KEYS[1], 'dead.id', id, 'dead.group', group, 'dead.consumer', consumer,
  'dead.deliveries', ARGV[5], 'dead.reason', ARGV[4] }
for i = 6, #ARGV do words[#words + 1] = ARGV[i] end
local letter = redis.call('XADD', KEYS[2], '*', unpack(words))
redis.call('XACK', KEYS[1], group, id)
return letter
