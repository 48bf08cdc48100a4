-- Registers a job and adds it to its stream. KEYS jobs, done, dead, stream. ARGV job id, description (JSON without the
-- entry's id), then the fields. Answers {1, entry id}; {0, ''} when the job is done or dead, {0, entry id} when it is
-- registered already.
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 or redis.call('HEXISTS', KEYS[3], ARGV[1]) == 1 then return { 0, '' } end
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known then return { 0, string.match(known, '^(%S+) ') or '' } end
local id = redis.call('XADD', KEYS[4], '*', unpack(ARGV, 3))
redis.call('HSET', KEYS[1], ARGV[1], id .. ' ' .. ARGV[2])
return { 1, id }
