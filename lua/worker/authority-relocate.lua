-- Notes that an unfinished job was dispatched anew. KEYS jobs. ARGV job id, entry id it had, entry id it has.
-- Answers 0 when somebody else was faster, or the job is finished meanwhile.
local known = redis.call('HGET', KEYS[1], ARGV[1])
if not known then return 0 end
local at, description = string.match(known, '^(%S+) (.*)$')
if at ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3] .. ' ' .. description)
return 1
