-- Folds expired days into the gap boundary and tells what is there: all or nothing.
-- KEYS 1 mbmeta, 2 mbdays, 3 mbseqbucket, 4 the stream, only in that layout
-- ARGV 1 the epoch as four hex digits, 2 seconds the clock is ahead
-- Answers {gap, trim, highest, day, bucket_max_seq, expiry, …}: offsets, -1 for none; days ascending by expiry.
-- include _retention.lua
-- include _promote.lua

local now = tonumber(redis.call('TIME')[1]) + tonumber(ARGV[2])
local plan, fault = plan_of(KEYS[1], KEYS[2], KEYS[3], ARGV[1], now)
if not plan then return fault end
commit(plan, KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[1])
local answer = { plan.gap, plan.trim, plan.highest }
for i = 1, #plan.days do
  answer[#answer + 1] = plan.days[i]
  answer[#answer + 1] = plan.maxima[i]
  answer[#answer + 1] = plan.expiries[i]
end
return answer
