-- Removes consumers that nobody has heard of for long. KEYS stream. ARGV group, this consumer, after how many ms,
-- the idle time at which entries are claimed, how many entries to hand back at most. A consumer with pending entries
-- loses them first: they become this consumer's, claimable by anybody at once. Answers {{names removed …}, handed
-- back}.
-- include _pending.lua
local group, me, limit = ARGV[1], ARGV[2], tonumber(ARGV[5])
local retired, handedBack = {}, 0
for _, facts in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], group)) do
  local consumer = {}
  for i = 1, #facts, 2 do consumer[facts[i]] = facts[i + 1] end
  if consumer.name ~= me and consumer.idle >= tonumber(ARGV[3]) then
    local left = consumer.pending
    if left > 0 and handedBack < limit then
      for _, row in ipairs(redis.call('XPENDING', KEYS[1], group, '-', '+', limit - handedBack, consumer.name)) do
        -- One whose payload is gone stays for the claim that tells of it.
        if entryFields(KEYS[1], row[1]) then
          redis.call('XCLAIM', KEYS[1], group, me, 0, row[1], 'IDLE', ARGV[4], 'RETRYCOUNT', row[4], 'JUSTID')
          handedBack = handedBack + 1
          left = left - 1
        end
      end
    end
    if left == 0 then
      redis.call('XGROUP', 'DELCONSUMER', KEYS[1], group, consumer.name)
      retired[#retired + 1] = consumer.name
    end
  end
end
return { retired, handedBack }
