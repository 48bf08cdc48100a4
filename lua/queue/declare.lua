-- Makes a storage. KEYS meta. ARGV policy as JSON. Answers 1 when it was made now.
if redis.call('HSETNX', KEYS[1], 'clock', '0') == 0 then return 0 end
redis.call('HSET', KEYS[1], 'version', '1', 'expirationPolicy', ARGV[1])
return 1
