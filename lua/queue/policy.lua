-- Sets the expiration policy. KEYS meta. ARGV policy as JSON.
if redis.call('HEXISTS', KEYS[1], 'clock') == 0 then return redis.error_reply('MQGONE the storage was destroyed') end
redis.call('HSET', KEYS[1], 'expirationPolicy', ARGV[1])
return 1
