-- Ends or extends deliveries. KEYS meta, queues, msgs, idle, consuming, confirmed, dropped. ARGV step ('confirm',
-- 'drop', 'release', 'extend'), queue, channel, then uid and receipt of each. Answers {time, what was found of each …}:
-- 'done', or why not. A message that is not being consumed under this very receipt is left alone.
-- include _clock.lua
-- include _leases.lua
if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 0 then return redis.error_reply('MQNOQUEUE ' .. ARGV[2]) end
local now = tick(KEYS[1], 1)
if not now then return redis.error_reply(GONE) end
local step = ARGV[1]
local at = digits(now)
local asked = {}
for i = 4, #ARGV, 2 do asked[#asked + 1] = ARGV[i] end
local scores = redis.call('ZMSCORE', KEYS[5], unpack(asked))

local function stateOf(uid)
  if redis.call('ZSCORE', KEYS[4], uid) then return 'idle' end
  if redis.call('ZSCORE', KEYS[6], uid) then return 'confirmed' end
  if redis.call('ZSCORE', KEYS[7], uid) then return 'dropped' end
  return 'gone'
end

local answer, uids, times = { at }, {}, {}
for i, uid in ipairs(asked) do
  if not scores[i] then
    answer[i + 1] = stateOf(uid)
  elseif tonumber(scores[i]) ~= tonumber(ARGV[3 + 2 * i]) then
    answer[i + 1] = 'redelivered'
  else
    answer[i + 1] = 'done'
    uids[#uids + 1] = uid
    times[#times + 1] = step == 'release' and enqueuedUs(KEYS[3], uid) or at
    times[#times + 1] = uid
  end
end
if #uids == 0 then return answer end
-- The same uid twice in one call: the second finds what the first left.
local seen = {}
for i, uid in ipairs(asked) do
  if answer[i + 1] == 'done' then
    if seen[uid] then answer[i + 1] = step == 'extend' and 'redelivered' or seen[uid] end
    seen[uid] = step == 'confirm' and 'confirmed' or step == 'drop' and 'dropped' or 'idle'
  end
end
if step ~= 'extend' then callInChunks('ZREM', KEYS[5], uids) end
local target = KEYS[5]
if step == 'release' then target = KEYS[4] end
if step == 'confirm' then target = KEYS[6] end
if step == 'drop' then target = KEYS[7] end
callInChunks('ZADD', target, times)
if step == 'release' then redis.call('PUBLISH', ARGV[3], digits(#uids)) end
return answer
