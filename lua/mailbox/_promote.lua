-- Phase one of Promote: reads and verifies everything, counts what has expired, writes nothing.
-- Answers a plan, or nil and the error. plan.days, plan.maxima, plan.expiries: the days that stay.
local function plan_of(meta_key, days_key, index_key, prefix, now)
  local raw = redis.call('HGETALL', meta_key)
  local meta = {}
  for i = 1, #raw, 2 do meta[raw[i]] = raw[i + 1] end
  if #raw == 0 then
    if redis.call('EXISTS', days_key, index_key) > 0 then return nil, broken('days or index without mbmeta') end
  elseif meta.retention_format_version ~= '4' then
    return nil, redis.error_reply('MBXFORMAT retention_format_version is not 4')
  end
  local stored = redis.call('ZRANGE', days_key, 0, -1, 'WITHSCORES')
  local plan = { days = {}, maxima = {}, expiries = {}, gone = {}, gap = -1, trim = -1, highest = -1, newest = 0 }
  for name, field in pairs({ gap = 'expired_gap_boundary', trim = 'trim_watermark', highest = 'highest_seq' }) do
    if meta[field] then
      plan[name] = offset_in(meta[field], prefix)
      if not plan[name] then return nil, broken(field .. ' is no sequence of this epoch') end
    end
  end
  local by_expiry, proofs, low, high = {}, 0, nil, nil
  for name in pairs(meta) do
    if string.sub(name, 1, 7) == 'bucket_' then proofs = proofs + 1 end
  end
  for i = 1, #stored, 2 do
    local day, expiry = whole(stored[i]), tonumber(stored[i + 1])
    local max = day and offset_in(meta['bucket_max_seq:' .. stored[i]] or '', prefix)
    if not max then return nil, broken('day ' .. stored[i] .. ' has no bucket_max_seq') end
    if whole(meta['bucket_expires_at:' .. stored[i]]) ~= expiry then
      return nil, broken('day ' .. stored[i] .. ' has another bucket_expires_at than mbdays')
    end
    if max > plan.highest then return nil, broken('day ' .. stored[i] .. ' lies above highest_seq') end
    if by_expiry[expiry] then return nil, broken('two days expire together') end
    by_expiry[expiry] = max
    low, high = math.min(low or day, day), math.max(high or day, day)
    if expiry <= now then
      plan.gone[#plan.gone + 1] = stored[i]
      if max > plan.gap then plan.gap, plan.moved = max, true end
    else
      local n = #plan.days + 1
      plan.days[n], plan.maxima[n], plan.expiries[n] = day, max, expiry
      plan.low, plan.high = math.min(plan.low or day, day), math.max(plan.high or day, day)
      plan.newest = math.max(plan.newest, expiry)
    end
  end
  if #raw > 0 then
    if whole(meta.active_day_count) ~= #stored / 2 then return nil, broken('active_day_count is not that of mbdays') end
    if whole(meta.min_day) ~= low or whole(meta.max_day) ~= high then
      return nil, broken('min_day or max_day is not that of mbdays')
    end
    if proofs ~= #stored then return nil, broken('proofs of days that are not in mbdays') end
  end
  if #plan.days > 0 and redis.call('EXISTS', index_key) == 0 then
    return nil, broken('mbseqbucket is gone while a day is active')
  end
  plan.expired = redis.call('ZRANGEBYSCORE', index_key, '-inf', now, 'WITHSCORES')
  for i = 1, #plan.expired, 2 do
    local offset = offset_in(plan.expired[i], prefix)
    local max = by_expiry[tonumber(plan.expired[i + 1])]
    if not offset or not max or offset > max then return nil, broken('mbseqbucket holds what no day proves') end
  end
  return plan
end

-- u64 in decimal of 16 hex digits: Lua numbers are doubles.
local function decimal_of(seq)
  local limbs = { 0, 0, 0, 0, 0 } -- base 10,000, least first
  for i = 1, 16 do
    local carry = tonumber(string.sub(seq, i, i), 16)
    for j = 1, 5 do
      local value = limbs[j] * 16 + carry
      limbs[j] = value % 10000
      carry = (value - limbs[j]) / 10000
    end
  end
  local text = ''
  for j = 5, 1, -1 do text = text .. string.format('%04d', limbs[j]) end
  return (string.gsub(text, '^0+(%d)', '%1'))
end

-- Events of an expired identity leave a stream one by one: they need not be its oldest.
local function drop_from_stream(events_key, plan)
  if #plan.days == 0 then
    if redis.call('EXISTS', events_key) == 1 then redis.call('XTRIM', events_key, 'MAXLEN', 0) end
    return
  end
  for i = 1, #plan.expired, 2 do
    local seq = decimal_of(plan.expired[i])
    for _, entry in ipairs(redis.call('XRANGE', events_key, seq, seq)) do redis.call('XDEL', events_key, entry[1]) end
  end
end

-- Phase two: only writes. `events_key` is the stream, nil for day buckets, which expire by themselves.
local function commit(plan, meta_key, days_key, index_key, events_key, prefix)
  if #plan.gone == 0 then return end
  if events_key then drop_from_stream(events_key, plan) end
  for _, day in ipairs(plan.gone) do
    redis.call('HDEL', meta_key, 'bucket_max_seq:' .. day, 'bucket_expires_at:' .. day)
    redis.call('ZREM', days_key, day)
  end
  redis.call('HSET', meta_key, 'active_day_count', #plan.days, 'expired_gap_boundary', seq_text(prefix, plan.gap))
  if #plan.days > 0 then
    redis.call('HSET', meta_key, 'min_day', string.format('%d', plan.low), 'max_day', string.format('%d', plan.high))
  else
    redis.call('HDEL', meta_key, 'min_day', 'max_day')
  end
  for i = 1, #plan.expired, 2 do redis.call('ZREM', index_key, plan.expired[i]) end
end
