-- Deletes a queue. KEYS meta, queues, watermark, then the six keys of the queue. ARGV queue, channel.
-- Answers 1 when there was one.
redis.call('UNLINK', unpack(KEYS, 4))
redis.call('HDEL', KEYS[1], 'floor:' .. ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('PUBLISH', ARGV[2], 'queues')
return redis.call('HDEL', KEYS[2], ARGV[1])
