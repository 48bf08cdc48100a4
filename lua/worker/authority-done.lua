-- Records completions. KEYS jobs, done. ARGV job id and record of each. The first record of a job stays.
local fresh = {}
for i = 1, #ARGV, 2 do
  fresh[#fresh + 1] = redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[i + 1])
  redis.call('HDEL', KEYS[1], ARGV[i])
end
return fresh
