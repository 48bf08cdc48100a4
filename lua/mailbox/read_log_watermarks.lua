-- The watermarks of a shard, verified. Writes nothing.
-- KEYS 1 wm   Answers {layout, epoch, blob}: a blob of 19 bytes or of 1,216.
-- include _watermark.lua
-- include _lanes.lua

local blob, layout, epoch = watermark(KEYS[1])
if not blob then return layout end
local ws, fault = lanes(blob)
if not ws then return fault end
return { layout, epoch, blob }
