-- Leases of a queue: what is consumed for longer than leaseMs is idle again, where it stood by its time of enqueuing.
local function leaseUs(queues, queue)
  local settings = redis.call('HGET', queues, queue)
  if not settings then return nil end
  return tonumber(string.match(settings, '"leaseMs":(%d+)')) * 1000
end

local function enqueuedUs(msgs, uid)
  local record = redis.call('HGET', msgs, uid)
  return record and string.match(record, '^%d+ %d+ (%d+)\n')
end

local function returnExpired(idle, consuming, msgs, cutoff, limit)
  local uids = redis.call('ZRANGEBYSCORE', consuming, '-inf', digits(cutoff), 'LIMIT', 0, limit)
  for _, uid in ipairs(uids) do
    redis.call('ZREM', consuming, uid)
    local at = enqueuedUs(msgs, uid)
    if at then redis.call('ZADD', idle, at, uid) end
  end
  return #uids
end
