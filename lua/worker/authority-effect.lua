-- Does a job's effect and records its completion, once. KEYS jobs, done, then the keys of the effect. ARGV job id,
-- record, then the commands of the effect, each as its number of words and the words. Answers 1 when it was done now.
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 0 end
local at = 3
while at <= #ARGV do
  local words = tonumber(ARGV[at])
  redis.call(unpack(ARGV, at + 1, at + words))
  at = at + words + 1
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('HDEL', KEYS[1], ARGV[1])
return 1
