-- The record of one pending entry: nil when it is not pending, or not with this consumer (when one is named).
-- Answers {id, consumer, idle ms, deliveries}.
local function pendingRow(stream, group, id, consumer)
  local rows
  if consumer then
    rows = redis.call('XPENDING', stream, group, id, id, 1, consumer)
  else
    rows = redis.call('XPENDING', stream, group, id, id, 1)
  end
  return rows[1]
end

local function entryFields(stream, id)
  local entries = redis.call('XRANGE', stream, id, id, 'COUNT', 1)
  return entries[1] and entries[1][2]
end

-- Whether nobody but this process can know of the entry: it is pending with no consumer, and its payload is gone.
local function forgotten(stream, group, id)
  return not pendingRow(stream, group, id) and not entryFields(stream, id)
end
