-- Records that a job was given up. KEYS jobs, done, dead. ARGV job id, reason.
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 0 end
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
redis.call('HDEL', KEYS[1], ARGV[1])
return 1
