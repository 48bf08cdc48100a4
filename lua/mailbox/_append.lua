-- Writes the group of one record for one user, or finds out that it need not or must not be written.
-- ARGV from `at`: seq, seq in decimal, seq - 1 in decimal, day, retention in seconds, seconds the clock is ahead,
-- 'buckets' or 'stream', then per event the member of the bucket, or the ID of the entry and its value.
-- Answers 'appended', 'replayed' (the same again), 'replaced', 'expired' or 'trimmed'; or nil and the error.

local function fill(events_key, at, offset)
  if ARGV[at + 6] == 'stream' then
    for i = at + 7, #ARGV, 2 do redis.call('XADD', events_key, ARGV[i], 'e', ARGV[i + 1]) end
    return
  end
  if #ARGV == at + 7 then
    redis.call('ZADD', events_key, offset, ARGV[at + 7])
    return
  end
  local words = {}
  for i = at + 7, #ARGV do
    words[#words + 1] = offset
    words[#words + 1] = ARGV[i]
  end
  redis.call('ZADD', events_key, unpack(words))
end

-- Whether the stored group is to the byte the one that is here.
local function is_same(stored, at)
  if ARGV[at + 6] == 'stream' then
    if #stored * 2 ~= #ARGV - at - 6 then return false end
    for i = 1, #stored do
      if stored[i][1] ~= ARGV[at + 5 + 2 * i] or stored[i][2][2] ~= ARGV[at + 6 + 2 * i] then return false end
    end
    return true
  end
  if #stored ~= #ARGV - at - 6 then return false end
  for i = 1, #stored do
    if stored[i] ~= ARGV[at + 6 + i] then return false end
  end
  return true
end

-- A stream takes no entry below its last: what follows the group is lifted off and put back.
local function replace_in_stream(events_key, at)
  local tail = redis.call('XRANGE', events_key, ARGV[at + 1] .. '-0', '+')
  for i = 1, #tail do redis.call('XDEL', events_key, tail[i][1]) end
  local below = ARGV[at + 2] .. '-18446744073709551615'
  redis.call('XSETID', events_key, below, 'ENTRIESADDED', redis.call('XLEN', events_key), 'MAXDELETEDID', below)
  fill(events_key, at)
  for i = 1, #tail do
    if string.match(tail[i][1], '^%d+') ~= ARGV[at + 1] then
      redis.call('XADD', events_key, tail[i][1], unpack(tail[i][2]))
    end
  end
end

local function rewrite(events_key, at, offset)
  local isStream = ARGV[at + 6] == 'stream'
  local stored = isStream and redis.call('XRANGE', events_key, ARGV[at + 1], ARGV[at + 1])
    or redis.call('ZRANGEBYSCORE', events_key, offset, offset)
  if is_same(stored, at) then return 'replayed' end
  if isStream then
    replace_in_stream(events_key, at)
  else
    redis.call('ZREMRANGEBYSCORE', events_key, offset, offset)
    fill(events_key, at, offset)
  end
  return 'replaced'
end

-- What the checks need to know. `plan` only when days have expired, else the few fields of the hash.
local function state_of(meta_key, days_key, index_key, prefix, day, now)
  local stored = redis.call('HMGET', meta_key, 'retention_format_version', 'active_day_count', 'min_day', 'max_day',
    'expired_gap_boundary', 'trim_watermark', 'highest_seq', 'bucket_max_seq:' .. day, 'bucket_expires_at:' .. day)
  if not stored[1] then
    if redis.call('EXISTS', meta_key, days_key, index_key) > 0 then
      if redis.call('EXISTS', meta_key) == 0 then return nil, broken('days or index without mbmeta') end
      return nil, redis.error_reply('MBXFORMAT retention_format_version is not 4')
    end
    return { count = 0, gap = -1, trim = -1, highest = -1 }
  end
  if stored[1] ~= '4' then return nil, redis.error_reply('MBXFORMAT retention_format_version is not 4') end
  local expiry = whole(stored[9])
  if #redis.call('ZRANGEBYSCORE', days_key, '-inf', now, 'LIMIT', 0, 1) > 0 then
    local plan, fault = plan_of(meta_key, days_key, index_key, prefix, now)
    if not plan then return nil, fault end
    local state = { count = #plan.days, low = plan.low, high = plan.high, gap = plan.gap, trim = plan.trim,
      highest = plan.highest, plan = plan, expiry = expiry }
    if expiry and expiry > now then state.max = offset_in(stored[8], prefix) end
    return state
  end
  local state = { count = whole(stored[2]), low = whole(stored[3]), high = whole(stored[4]), gap = -1, trim = -1,
    highest = -1, expiry = expiry }
  if stored[5] then state.gap = offset_in(stored[5], prefix) end
  if stored[6] then state.trim = offset_in(stored[6], prefix) end
  if stored[7] then state.highest = offset_in(stored[7], prefix) end
  if stored[8] then state.max = offset_in(stored[8], prefix) end
  if not (state.count and state.gap and state.trim and state.highest) then return nil, broken('mbmeta is damaged') end
  if state.count > 0 and not stored[7] then return nil, broken('highest_seq is gone') end
  if (state.count > 0) ~= (state.low ~= nil and state.high ~= nil) then
    return nil, broken('min_day or max_day is damaged')
  end
  if (state.max ~= nil) ~= (expiry ~= nil) or (stored[8] and not state.max) or (stored[9] and not expiry) then
    return nil, broken('the proof of day ' .. day .. ' is damaged')
  end
  if state.max and state.max > state.highest then return nil, broken('day ' .. day .. ' lies above highest_seq') end
  return state
end

local function append(meta_key, days_key, index_key, events_key, at)
  local seq, day, ahead = ARGV[at], ARGV[at + 3], tonumber(ARGV[at + 5])
  local prefix, offset, day_number = string.sub(seq, 1, 4), tonumber(string.sub(seq, 5), 16), tonumber(day)
  local now = tonumber(redis.call('TIME')[1]) + ahead
  if day_number > math.floor(now / DAY_S) + 30 then
    return nil, redis.error_reply('MBXFUTURE day ' .. day .. ' lies more than 30 days ahead')
  end
  local state, fault = state_of(meta_key, days_key, index_key, prefix, day, now)
  if not state then return nil, fault end
  local stream_key = ARGV[at + 6] == 'stream' and events_key or nil
  local isActive = state.expiry and state.expiry > now
  local expiry = state.expiry or day_number * DAY_S + tonumber(ARGV[at + 4])
  local score = tonumber(redis.call('ZSCORE', index_key, seq) or nil)
  local isKnown = score and score > now

  if expiry <= now then
    if isKnown then return nil, redis.error_reply('MBXCONFLICT ' .. seq .. ' lives in another day than ' .. day) end
    if offset <= state.trim then return 'trimmed' end
    if state.plan then commit(state.plan, meta_key, days_key, index_key, stream_key, prefix) end
    redis.call('HSET', meta_key, 'retention_format_version', '4', 'active_day_count', state.count,
      'expired_gap_boundary', seq_text(prefix, math.max(state.gap, offset)),
      'highest_seq', seq_text(prefix, math.max(state.highest, offset)))
    return 'expired'
  end

  local ttl = redis.call('EXPIRETIME', index_key)
  if ttl == -2 and state.count > 0 then return nil, broken('mbseqbucket is gone while a day is active') end
  if isKnown then
    if not isActive or score ~= expiry then
      return nil, redis.error_reply('MBXCONFLICT ' .. seq .. ' lives in another day than ' .. day)
    end
    if offset > state.max then return nil, broken(seq .. ' lies above bucket_max_seq of its day') end
    if state.plan then commit(state.plan, meta_key, days_key, index_key, stream_key, prefix) end
    local outcome = rewrite(events_key, at, offset)
    local newest = tonumber(redis.call('ZRANGE', index_key, -1, -1, 'WITHSCORES')[2])
    redis.call('EXPIREAT', index_key, string.format('%d', newest - ahead))
    redis.call('EXPIREAT', events_key, string.format('%d', (stream_key and newest or expiry) - ahead))
    return outcome
  end

  if offset <= state.trim then return 'trimmed' end
  if offset <= state.highest then
    return nil, broken(seq .. ' is not above ' .. seq_text(prefix, state.highest) .. ' and has no identity member')
  end
  local low, high = state.low, state.high
  if not isActive then
    low, high = math.min(low or day_number, day_number), math.max(high or day_number, day_number)
    if high - low > SPAN_DAYS then
      return nil, redis.error_reply('MBXSPAN the active days would be ' .. low .. ' to ' .. high)
    end
    -- Two days with one expiry could not be told apart in the index; a changed retention can bring them together.
    while #redis.call('ZRANGEBYSCORE', days_key, expiry, expiry) > 0 do expiry = expiry + 1 end
  end

  if state.plan then commit(state.plan, meta_key, days_key, index_key, stream_key, prefix) end
  fill(events_key, at, offset)
  redis.call('ZADD', index_key, expiry, seq)
  if isActive then
    redis.call('HSET', meta_key, 'bucket_max_seq:' .. day, seq, 'highest_seq', seq)
  else
    local expires_at = string.format('%d', expiry)
    redis.call('ZADD', days_key, expiry, day)
    redis.call('HSET', meta_key, 'retention_format_version', '4', 'active_day_count', state.count + 1,
      'min_day', string.format('%d', low), 'max_day', string.format('%d', high), 'highest_seq', seq,
      'bucket_max_seq:' .. day, seq, 'bucket_expires_at:' .. day, expires_at)
  end
  local until_s = string.format('%d', expiry - ahead)
  if ttl < 0 then
    local newest = tonumber(redis.call('ZRANGE', index_key, -1, -1, 'WITHSCORES')[2])
    ttl = newest - ahead
    redis.call('EXPIREAT', index_key, string.format('%d', ttl))
  elseif ttl < expiry - ahead then
    ttl = expiry - ahead
    redis.call('EXPIREAT', index_key, until_s, 'GT')
  end
  redis.call('EXPIREAT', events_key, stream_key and string.format('%d', ttl) or until_s)
  return 'appended'
end
