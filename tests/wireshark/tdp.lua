-- TDP/1 for Wireshark and tshark: a third decoder, written from docs/protocol.md alone. It shares no line with the other two.
--
--   tshark -X lua_script:tests/wireshark/tdp.lua -r wire.pcapng
--
-- A packet is what stood between two zero bytes of the wire (LINKTYPE_USER0, 147). Section numbers are those of the page.
-- Besides the fields to filter by, every value stands under tdp.value as path=value, in the words of the page.

local tdp = Proto("tdp", "Table Device Protocol")

local f = {
  type = ProtoField.string("tdp.type", "Type"),
  flags = ProtoField.uint8("tdp.flags", "Flags", base.HEX),
  channel = ProtoField.uint8("tdp.channel", "Channel"),
  seq = ProtoField.uint16("tdp.seq", "Number"),
  ack = ProtoField.uint16("tdp.ack", "Acknowledges"),
  session = ProtoField.uint32("tdp.session", "Session", base.HEX),
  again = ProtoField.bool("tdp.again", "A repeat"),
  sealed = ProtoField.bool("tdp.sealed", "Sealed"),
  number = ProtoField.uint64("tdp.seal.number", "Number of the seal"),
  mac = ProtoField.bytes("tdp.seal.mac", "MAC"),
  boot = ProtoField.string("tdp.boot", "Boot"),
  counter = ProtoField.uint64("tdp.counter", "Counter"),
  report = ProtoField.string("tdp.report", "Report"),
  serial = ProtoField.string("tdp.serial", "Serial number"),
  cause = ProtoField.string("tdp.refused", "Refused as"),
  value = ProtoField.string("tdp.value", "Value"),
}
tdp.fields = f

local malformed = ProtoExpert.new("tdp.malformed", "Not a frame of TDP/1", expert.group.MALFORMED, expert.severity.ERROR)
tdp.experts = { malformed }

-- Section 3: code -> name, channel; false = the channel of the question.
local TYPES = {
  [0x01] = { "HELLO", 0 }, [0x02] = { "WELCOME", 0 }, [0x03] = { "AUTH", 0 }, [0x04] = { "AUTH_OK", 0 },
  [0x05] = { "MEASURE", 3 }, [0x06] = { "MEASURED", 3 }, [0x10] = { "REQ", 0 }, [0x11] = { "RSP", 0 },
  [0x12] = { "ERR", false }, [0x20] = { "EVENT", 1 }, [0x21] = { "EVENT_ACK", 1 }, [0x22] = { "LOG_READ", 2 },
  [0x23] = { "LOG_DATA", 2 }, [0x24] = { "LOG_GONE", 2 }, [0x30] = { "PING", 0 }, [0x31] = { "PONG", 0 },
  [0x32] = { "TIME_SET", 0 }, [0x40] = { "BYE", 0 }, [0x41] = { "RESTARTED", 0 },
}

-- Section 4.2.
local NAMES = {
  back = { "unknown", "red", "blue", "green", "black" },
  mode = { "shuffle", "cover_all", "sort", "count", "demo" },
  identities = { "not_read", "complete", "incomplete" },
  recognition = { "not_read", "read", "unreadable" },
  severity = { "warning", "alarm" },
  reason = { "stopped", "power_lost", "cover_open", "timeout", "failed_to_deal" },
  activity = { "idle", "shuffling", "dealing" },
  place = { "unknown", "infeed", "rack", "output" },
  button = { "green", "lockout" },
  cause = { "command", "button", "watchdog", "power_up" },
  reset_cause = { "unknown", "power", "watchdog", "software" },
}
local KINDS = { "shuffler", "shoe", "progressive", "line" }
local CAPABILITIES = {
  "counts_each_shuffle", "reads_cards", "forms_hands", "two_sets", "dispenses_stacks", "lockout", "senses_wagers",
  "event_log", "keeps_log", "senses_cards_inside", "reshuffles", "tells_draws", "chains_log",
}
local DEFECTS = { "missing", "extra", "duplicate", "foreign_back", "unreadable", "flipped" }
local CAUSES = {
  "crc", "cobs", "oversize", "partial", "length", "version", "mac", "stale_session", "duplicate", "payload", "unexpected",
}

-- Section 4.1: code -> kind, fixed fields as "name" (a name of 4.2 or a u8), "name?" a flag, "name:size" a number,
-- "name 1-15" a bounded one; then tags as { number, name }.
local REPORTS = {
  [0x01] = { "shuffle_started", { "back", "mode" } },
  [0x02] = { "shuffle_completed", { "back", "mode", "identities" }, { { 1, "count" } } },
  [0x03] = { "shuffle_stopped", { "back", "reason" }, { { 2, "cards_inside" } } },
  [0x04] = { "jammed", { "back", "activity", "place", "stack" }, { { 2, "cards_inside" } } },
  [0x05] = { "jam_cleared", { "by_itself?", "tries" } },
  [0x06] = { "cards_loaded", { "back" }, { { 1, "count" } } },
  [0x07] = { "cards_removed", {}, { { 2, "cards_inside" } } },
  [0x08] = { "stack_dispensed", { "back", "stack", "cards" } },
  [0x09] = { "deal_stopped", { "back", "reason", "stack" }, { { 2, "cards_inside" } } },
  [0x0A] = { "deal_completed", { "back", "stacks" }, { { 3, "cards_left" } } },
  [0x0B] = { "face_up_card", { "back", "activity" } },
  [0x0C] = { "button_pressed", { "button" } },
  [0x0D] = { "mode_changed", { "mode" } },
  [0x0E] = { "door_opened", {} },
  [0x0F] = { "door_closed", {} },
  [0x10] = { "wager_sensed", { "seat 1-15", "sensor 1-3", "locked?" } },
  [0x11] = { "wager_removed", { "seat 1-15", "sensor 1-3", "locked?" } },
  [0x12] = { "lockout_engaged", { "cause", "operation:8" } },
  [0x13] = { "lockout_released", { "cause", "operation:8" } },
  [0x14] = { "dispensing_inhibited", { "cause", "operation:8" } },
  [0x15] = { "dispensing_allowed", { "cause", "operation:8" } },
  [0x16] = { "self_test_failed", { "code:2" } },
  [0x17] = { "service_due", { "cycles:4" } },
  [0x18] = { "powered_up", { "reset_cause" }, { { 2, "cards_inside" } } },
  [0x19] = { "line_unparsed", {} },
  [0x1A] = { "card_drawn", { "back", "recognition", "burned?", "repeat_suspected?" }, { { 3, "cards_left" } } },
  [0x1B] = { "cutting_card_sensed", { "back" } },
  [0x1C] = { "alarm_raised", { "severity", "code:2" } },
}

local function refuse(cause) error({ cause = cause }, 0) end

-- 1.2: CRC-32C, one bit at a time.
local function check_value(bytes)
  local crc = 0xFFFFFFFF
  for i = 1, #bytes do
    crc = bit.bxor(crc, bytes[i])
    for _ = 1, 8 do
      local low = bit.band(crc, 1)
      crc = bit.rshift(crc, 1)
      if low == 1 then crc = bit.bxor(crc, 0x82F63B78) end
    end
  end
  return bit.bnot(crc)
end

-- 1.1
local function unstuff(piece)
  local data, at = {}, 1
  while at <= #piece do
    local code = piece[at]
    if code == 0 or at + code - 1 > #piece then refuse("cobs") end
    for i = at + 1, at + code - 1 do
      if piece[i] == 0 then refuse("cobs") end
      data[#data + 1] = piece[i]
    end
    at = at + code
    if code < 0xFF and at <= #piece then data[#data + 1] = 0 end
  end
  return data
end

-- A place in a body: `tvb` is what is shown, `left` how much of it belongs to this reader.
local Cursor = {}
Cursor.__index = Cursor

local function cursor(tvb, at, size) return setmetatable({ tvb = tvb, at = at, last = at + size }, Cursor) end

function Cursor:left() return self.last - self.at end

function Cursor:range(size)
  if self:left() < size then refuse("payload") end
  local range = self.tvb:range(self.at, size)
  self.at = self.at + size
  return range
end

function Cursor:number(size)
  local range = self:range(size)
  if size == 8 then return range:le_uint64(), range end
  return range:le_uint(), range
end

function Cursor:hex(size)
  if size == 0 then return "" end
  return (self:range(size):bytes():tohex(true))
end

function Cursor:boot()
  local range = self:range(8)
  return string.format("%08x%08x", range:range(4, 4):le_uint(), range:range(0, 4):le_uint())
end

-- All tagged values: { number, cursor over the value }.
function Cursor:tags()
  local found = {}
  while self:left() > 0 do
    local tag = self:number(1)
    local size = self:number(1)
    if self:left() < size then refuse("payload") end
    found[#found + 1] = { tag, cursor(self.tvb, self.at, size) }
    self.at = self.at + size
  end
  return found
end

local function last_of(tags, number)
  local found
  for _, tag in ipairs(tags) do if tag[1] == number then found = tag[2] end end
  return found
end

local function has_bit(bits, place) return bit.band(bit.rshift(bits, place), 1) == 1 end

-- Section 2: texts are UTF-8; what is not makes the payload impossible.
local function utf8(bytes)
  local at = 1
  while at <= #bytes do
    local b, more, low = bytes:byte(at), 0, 0x80
    if b < 0x80 then more = 0
    elseif b >= 0xC2 and b <= 0xDF then more = 1
    elseif b >= 0xE0 and b <= 0xEF then more = 2; if b == 0xE0 then low = 0xA0 end
    elseif b >= 0xF0 and b <= 0xF4 then more = 3; if b == 0xF0 then low = 0x90 end
    else return false end
    local high = 0xBF
    if b == 0xED then high = 0x9F elseif b == 0xF4 then high = 0x8F end
    for i = 1, more do
      local c = bytes:byte(at + i)
      if not c or c < (i == 1 and low or 0x80) or c > (i == 1 and high or 0xBF) then return false end
    end
    at = at + 1 + more
  end
  return true
end

local function raw(value)
  local size = value:left()
  if size == 0 then return "" end
  return value:range(size):bytes():raw()
end

local function text(value)
  local bytes = raw(value)
  if not utf8(bytes) then refuse("payload") end
  return bytes
end

-- Section 3.1: names are printable. Lua knows no Unicode categories: these are the controls and what turns the direction.
local function name(value)
  local bytes = text(value)
  local is_hidden = bytes:find("[%z\1-\31\127]") or bytes:find("\194[\128-\160\173]") or bytes:find("\226\128[\128-\143\168-\175]")
    or bytes:find("\226\129[\159-\175]") or bytes:find("\239\187\191")
  if #bytes > 48 or is_hidden then refuse("payload") end
  return bytes
end

-- Values with their paths, in the order in which they stand.
local Out = {}
Out.__index = Out

local function output() return setmetatable({}, Out) end

-- Control characters are shown by their number, so that a value stays one line.
local function shown(value)
  if value == nil then return "null" end
  if type(value) == "string" then
    return (value:gsub("[%c\\\127]", function(c) return string.format("\\x%02x", c:byte()) end))
  end
  return tostring(value)
end

function Out:put(path, value) self[#self + 1] = path .. "=" .. shown(value) end

function Out:numbers(path, c, layout)
  for name, size in layout:gmatch("(%g+):(%d)") do self:put(path .. name, (c:number(tonumber(size)))) end
end

function Out:set(path, names, bits)
  local found = {}
  for place, name in ipairs(names) do if has_bit(bits, place - 1) then found[#found + 1] = name end end
  self:put(path, table.concat(found, ","))
end

-- 3.2, 4.1: a u16 in a tag, or null.
local function small(tags, number)
  local value = last_of(tags, number)
  if not value then return nil end
  if value:left() ~= 2 then refuse("payload") end
  return (cursor(value.tvb, value.at, 2):number(2))
end

local function latin(value)
  local out = {}
  for i = 1, #value do
    local b = value:byte(i)
    out[i] = b < 0x80 and string.char(b) or string.char(0xC0 + math.floor(b / 64), 0x80 + b % 64)
  end
  return table.concat(out)
end

local function fixed_field(c, field)
  local name, low, high = field:match("^(%l+) (%d+)-(%d+)$")
  if name then
    local value = c:number(1)
    if value < tonumber(low) or value > tonumber(high) then refuse("payload") end
    return name, value
  end
  name = field:match("^([%l_]+)%?$")
  if name then
    local value = c:number(1)
    if value > 1 then refuse("payload") end
    return name, value == 1
  end
  local size
  name, size = field:match("^(%l+):(%d)$")
  if name then return name, (c:number(tonumber(size))) end
  local value = c:number(1)
  if NAMES[field] then
    value = NAMES[field][value + 1]
    if not value then refuse("payload") end
  end
  return field == "reset_cause" and "cause" or field, value
end

local function report_of(code, c, path)
  local row, out = REPORTS[code], output()
  if not row then refuse("payload") end
  local values = {}
  out:put(path .. "kind", row[1])
  for _, field in ipairs(row[2]) do
    local name, value = fixed_field(c, field)
    values[name] = value
    out:put(path .. name, value)
  end
  local tags = c:tags()
  for _, tag in ipairs(row[3] or {}) do out:put(path .. tag[2], small(tags, tag[1])) end
  if row[1] == "shuffle_completed" then
    local bits = small(tags, 5) or 0
    if bits ~= 0 and values.identities ~= "incomplete" then refuse("payload") end
    out:set(path .. "defects", DEFECTS, bits)
  elseif row[1] == "line_unparsed" or row[1] == "alarm_raised" then
    local value = last_of(tags, 4)
    if not value or value:left() > 128 then refuse("payload") end
    out:put(path .. "text", latin(raw(value)))
  end
  return out, row[1]
end

-- 3.3. What cannot be read of a report is one unknown report, not a bad frame.
local function record(out, c, path, tree)
  local counter, range = c:number(8)
  if counter == UInt64(0) then refuse("payload") end
  tree:add_le(f.counter, range)
  out:put(path .. "counter", counter)
  out:put(path .. "tick_us", (c:number(8)))
  out:put(path .. "chain", c:hex(8))
  local code = c:number(1)
  local ok, found, kind = pcall(report_of, code, c, path .. "report.")
  if not ok then
    if type(found) ~= "table" then error(found, 0) end
    found, kind = output(), "unknown"
    found:put(path .. "report.kind", kind)
    found:put(path .. "report.code", code)
  end
  tree:add(f.report, kind)
  for _, line in ipairs(found) do out[#out + 1] = line end
  return kind
end

local function reset_cause(number) return NAMES.reset_cause[number + 1] or "unknown" end

local function boot(out, c, tree)
  local value = c:boot()
  tree:add(f.boot, value)
  out:put("boot", value)
end

local function span(out, c, tree)
  boot(out, c, tree)
  out:numbers("", c, "first:8 last:8")
end

local READ = {}

function READ.HELLO(out, c)
  out:numbers("", c, "min_version:1 max_version:1 max_body:2 window:1")
  c:number(1)
  out:put("nonce", c:hex(16))
end

function READ.WELCOME(out, c, tree)
  out:numbers("", c, "min_version:1 max_version:1 max_body:2 window:1")
  out:put("nonce", c:hex(16))
  out:put("device_nonce", c:hex(16))
  local kind, reset = c:number(1), c:number(1)
  boot(out, c, tree)
  local bits = c:number(4)
  out:put("log_depth", (c:number(4)))
  local tick_hz = c:number(4)
  out:put("tick_hz", tick_hz)
  out:numbers("", c, "log_first:8 log_last:8")
  out:put("firmware_hash", c:hex(32))
  out:put("config_hash", c:hex(32))
  if not KINDS[kind + 1] or tick_hz == 0 then refuse("payload") end
  out:put("kind", KINDS[kind + 1])
  out:put("reset_cause", reset_cause(reset))
  out:set("capabilities", CAPABILITIES, bits)
  local texts, logs, extra = { "", "", "", "", "" }, 0, 0
  local display = nil
  for _, tag in ipairs(c:tags()) do
    if tag[1] >= 1 and tag[1] <= 5 then
      texts[tag[1]] = name(tag[2])
    elseif tag[1] == 6 then
      local path = "old_logs." .. logs .. "."
      out:put(path .. "boot", tag[2]:boot())
      out:numbers(path, tag[2], "first:8 last:8")
      logs = logs + 1
    elseif tag[1] == 7 then
      if tag[2]:left() ~= 1 then refuse("payload") end
      display = tag[2]:number(1)
      if display < 1 or display > 64 then refuse("payload") end
    elseif extra < 16 then
      out:put("extra." .. extra .. ".0", tag[1])
      out:put("extra." .. extra .. ".1", tag[2]:hex(tag[2]:left()))
      extra = extra + 1
    end
  end
  for n, name in ipairs({ "vendor", "model", "hardware", "serial", "firmware" }) do out:put(name, texts[n]) end
  out:put("display", display)
  if texts[4] == "" then refuse("payload") end
  tree:add(f.serial, texts[4])
end

local function proof(out, c) out:put("proof", c:hex(32)) end
READ.AUTH, READ.AUTH_OK = proof, proof

function READ.MEASURE(out, c)
  out:put("nonce", c:hex(16))
  for n = 0, 7 do out:numbers("ranges." .. n .. ".", c, "0:4 1:4") end
end

function READ.MEASURED(out, c) out:put("digest", c:hex(32)) end

local LEVELS = { "lockout", "dispensing", "lamps", "display", "mode" }

function READ.REQ(out, c)
  local code = c:number(1)
  if code == 1 then
    out:put("request", "get_levels")
  elseif code ~= 2 then
    out:put("request", "unknown")
    out:put("code", code)
    out:put("data", c:hex(c:left()))
  else
    local level, operation = c:number(1), c:number(8)
    local value = last_of(c:tags(), 1)
    if not LEVELS[level] or not value then refuse("payload") end
    out:put("request", "set_level")
    out:put("level", LEVELS[level])
    out:put("value", text(value))
    out:put("operation", operation)
  end
end

function READ.RSP(out, c)
  local levels = last_of(c:tags(), 1)
  if not levels then return out:put("levels", nil) end
  local lockout, dispensing, mode, bits = levels:number(1), levels:number(1), levels:number(1), levels:number(1)
  if lockout > 2 or dispensing > 2 or mode > 5 or bits > 3 then refuse("payload") end
  out:put("levels.lockout", ({ "engaged", "released" })[lockout])
  out:put("levels.dispensing", ({ "inhibited", "allowed" })[dispensing])
  out:put("levels.mode", NAMES.mode[mode])
  out:put("levels.jammed", has_bit(bits, 0))
  out:put("levels.door_open", has_bit(bits, 1))
  out:numbers("levels.", levels, "wagers:8 lamps:2")
  out:put("levels.cards_inside", small(levels:tags(), 2))
end

function READ.ERR(out, c)
  out:put("code", (c:number(2)))
  out:put("retryable", c:number(1) ~= 0)
  local value = last_of(c:tags(), 1)
  out:put("text", value and raw(value) or "")
end

function READ.EVENT(out, c, tree)
  boot(out, c, tree)
  return record(out, c, "", tree)
end

function READ.EVENT_ACK(out, c, tree)
  boot(out, c, tree)
  local counter, range = c:number(8)
  tree:add_le(f.counter, range)
  out:put("counter", counter)
end

READ.LOG_READ, READ.LOG_GONE = span, span

function READ.LOG_DATA(out, c, tree)
  boot(out, c, tree)
  local count, before = 0, nil
  while c:left() > 0 do
    local size = c:number(1)
    local inner = cursor(c.tvb, c.at, size)
    c:range(size)
    if size < 8 then refuse("payload") end
    local counter = cursor(inner.tvb, inner.at, size):number(8)
    record(out, inner, "records." .. count .. ".", tree)
    if before and counter ~= before + 1 then refuse("payload") end
    before, count = counter, count + 1
  end
  if count == 0 then refuse("payload") end
end

function READ.PING(out, c) out:put("nonce", c:hex(8)) end

function READ.PONG(out, c, tree)
  out:put("nonce", c:hex(8))
  boot(out, c, tree)
  out:numbers("", c, "tick_us:8 digest:4 log_last:8")
  for _, cause in ipairs(CAUSES) do out:put("dropped." .. cause, (c:number(4))) end
end

function READ.TIME_SET(out, c) out:numbers("", c, "utc_us:8 uncertainty_us:4") end
function READ.BYE(out, c) out:put("reason", (c:number(1))) end

function READ.RESTARTED(out, c, tree)
  boot(out, c, tree)
  out:put("cause", reset_cause((c:number(1))))
end

-- 1.3: what stands between the delimiters, checked in the order of the page. Gives the body as bytes.
local function body_of(packet)
  local piece = {}
  for i = 0, packet:len() - 1 do
    local byte = packet:range(i, 1):uint()
    if byte ~= 0 then piece[#piece + 1] = byte
    elseif i ~= 0 and i ~= packet:len() - 1 then refuse("cobs") end
  end
  if packet:range(packet:len() - 1, 1):uint() ~= 0 then refuse("partial") end
  if #piece > 528 then refuse("oversize") end
  local data = unstuff(piece)
  if #data < 18 then refuse("length") end
  if #data - 4 > 512 then refuse("oversize") end
  local stated = 0
  for i = #data, #data - 3, -1 do stated = stated * 256 + data[i] end
  for _ = 1, 4 do data[#data] = nil end
  if bit.tobit(check_value(data)) ~= bit.tobit(stated) then refuse("crc") end
  return data
end

local function hexed(bytes)
  local out = {}
  for i, byte in ipairs(bytes) do out[i] = string.format("%02x", byte) end
  return table.concat(out)
end

-- 2: header, payload, seal.
local function frame(packet, tree, pinfo)
  local tvb = ByteArray.new(hexed(body_of(packet))):tvb("TDP body")
  local c = cursor(tvb, 0, tvb:len())
  local version, code, flags, channel = c:number(1), c:number(1), c:number(1), c:number(1)
  local seq, ack, session, length = c:number(2), c:number(2), c:number(4), c:number(2)
  if math.floor(version / 16) ~= 1 and code ~= 1 and code ~= 2 then refuse("version") end
  if bit.band(flags, 0xF4) ~= 0 then refuse("version") end
  local seal = has_bit(flags, 1) and 24 or 0
  if tvb:len() ~= 14 + length + seal then refuse("length") end
  local kind = TYPES[code]
  if not kind then refuse("unexpected") end
  tree:add(f.type, tvb:range(1, 1), kind[1])
  tree:add(f.flags, tvb:range(2, 1))
  tree:add(f.channel, tvb:range(3, 1))
  tree:add_le(f.seq, tvb:range(4, 2))
  tree:add_le(f.ack, tvb:range(6, 2))
  tree:add_le(f.session, tvb:range(8, 4))
  tree:add(f.again, has_bit(flags, 0))
  tree:add(f.sealed, seal > 0)
  local out = output()
  local said = READ[kind[1]](out, cursor(tvb, 14, length), tree)
  if channel ~= kind[2] and not (kind[2] == false and channel <= 3) then refuse("payload") end
  local payload = length > 0 and tvb:range(14, length) or nil
  for _, line in ipairs(out) do
    if payload then tree:add(f.value, payload, line) else tree:add(f.value, line) end
  end
  if seal > 0 then
    tree:add_le(f.number, tvb:range(14 + length, 8))
    tree:add(f.mac, tvb:range(22 + length, 16))
  end
  local again = has_bit(flags, 0) and " again" or ""
  pinfo.cols.info = string.format("%s%s seq=%d %s", kind[1], again, seq, type(said) == "string" and said or "")
end

function tdp.dissector(packet, pinfo, root)
  pinfo.cols.protocol = "TDP"
  local tree = root:add(tdp, packet:range())
  local ok, found = pcall(frame, packet, tree, pinfo)
  if ok then return packet:len() end
  if type(found) ~= "table" then error(found, 0) end
  tree:add(f.cause, found.cause)
  tree:add_proto_expert_info(malformed, "refused as " .. found.cause)
  pinfo.cols.info = "refused: " .. found.cause
  return packet:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, tdp)
