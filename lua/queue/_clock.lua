-- The clock of a storage, and numbers as text.
-- Lua's tostring would write large whole numbers with an exponent.
local function digits(number)
  return string.format('%.0f', number)
end

-- Microseconds of Unix time that come after `last`, the storage's clock: they neither repeat nor step back.
local function timeAfter(last)
  local time = redis.call('TIME')
  return math.max(tonumber(time[1]) * 1000000 + tonumber(time[2]), tonumber(last) + 1)
end

-- Takes `steps` such times at once and answers the first. nil: the storage was destroyed, and a script must not bring a
-- part of it back.
local function tick(meta, steps)
  local last = redis.call('HGET', meta, 'clock')
  if not last then return nil end
  local now = timeAfter(last)
  redis.call('HSET', meta, 'clock', digits(now + steps - 1))
  return now
end

local GONE = 'MQGONE the storage was destroyed'

-- Lua passes at most a few thousand arguments in one call.
local CHUNK = 2000
local function callInChunks(command, key, words)
  for from = 1, #words, CHUNK do
    redis.call(command, key, unpack(words, from, math.min(from + CHUNK - 1, #words)))
  end
end
