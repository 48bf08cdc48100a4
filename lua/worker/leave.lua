-- Removes this consumer when it has nothing pending. KEYS stream. ARGV group, consumer. Answers 1 when it was removed.
local rows = redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2])
if #rows > 0 then return 0 end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 1
