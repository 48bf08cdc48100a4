-- Retention and replay identity of one user in one epoch, format 4. Drawn in docs/format/mailbox.md.
local DAY_S, SPAN_DAYS = 86400, 30

local function broken(reason) return redis.error_reply('MBXCORRUPT ' .. reason) end

-- The offset of a sequence of this epoch; nil when it is not one. `prefix` is the epoch, four hex digits.
local function offset_in(seq, prefix)
  if #seq ~= 16 or string.sub(seq, 1, 4) ~= prefix or not string.find(seq, '^[0-9a-f]+$') then return nil end
  return tonumber(string.sub(seq, 5), 16)
end

local function seq_text(prefix, offset) return prefix .. string.format('%012x', offset) end

-- A count, a day or a time as it is stored; nil when it is not one.
local function whole(text) return text and string.find(text, '^%d+$') and tonumber(text) or nil end
