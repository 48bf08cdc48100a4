-- Writes the group of one record for one user, under the fence.
-- KEYS 1 wm, 2 mbmeta, 3 mbdays, 4 mbseqbucket, 5 the day's bucket or the stream
-- ARGV 1 epoch, from 2 on as _append.lua says   Answers 'appended', 'replayed', 'replaced', 'expired' or 'trimmed'.
-- include _watermark.lua
-- include _lanes.lua
-- include _retention.lua
-- include _promote.lua
-- include _append.lua

local blob, fault = watermark(KEYS[1], ARGV[1])
if not blob then return fault end
-- A shard whose watermarks are damaged takes nothing: they could not move over it.
local ws
ws, fault = lanes(blob)
if not ws then return fault end
local outcome, refused = append(KEYS[2], KEYS[3], KEYS[4], KEYS[5], 2)
return outcome or refused
