-- Makes a queue, or gives an old one new settings. KEYS meta, queues, watermark, counter of the storage. ARGV queue,
-- settings as JSON, 'start' or 'end', channel. Answers 1 when it was made now.
if redis.call('HEXISTS', KEYS[1], 'clock') == 0 then return redis.error_reply('MQGONE the storage was destroyed') end
local made = redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
if made == 1 then
  local mark = '0'
  if ARGV[3] == 'end' then mark = redis.call('GET', KEYS[4]) or '0' end
  redis.call('HSET', KEYS[3], ARGV[1], mark)
end
redis.call('PUBLISH', ARGV[4], 'queues')
return made
