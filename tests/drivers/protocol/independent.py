"""A second TDP/1 decoder, written from docs/protocol.md alone. It imports nothing of the product, and never may;
of Python's library it takes SHA-256 and the categories of characters alone.

It reads slowly, byte by byte, as the page says it. Section numbers are those of the page.
"""

from hashlib import sha256
from unicodedata import category

CAUSES = [
    "crc", "cobs", "oversize", "partial", "length", "version", "mac", "stale_session", "duplicate", "payload", "unexpected",
]  # fmt: skip

BACKS = ["unknown", "red", "blue", "green", "black"]
MODES = ["shuffle", "cover_all", "sort", "count", "demo"]
IDENTITIES = ["not_read", "complete", "incomplete"]
REASONS = ["stopped", "power_lost", "cover_open", "timeout", "failed_to_deal"]
ACTIVITIES = ["idle", "shuffling", "dealing"]
PLACES = ["unknown", "infeed", "rack", "output"]
BUTTONS = ["green", "lockout"]
CAUSES_OF_LEVELS = ["command", "button", "watchdog", "power_up"]
RESETS = ["unknown", "power", "watchdog", "software"]
KINDS = ["shuffler", "shoe", "progressive", "line"]
CAPABILITIES = [
    "counts_each_shuffle", "reads_cards", "forms_hands", "two_sets", "dispenses_stacks", "lockout", "senses_wagers",
    "event_log", "keeps_log", "senses_cards_inside", "reshuffles",
    "tells_draws", "chains_log",
]  # fmt: skip

TEXTS = ["vendor", "model", "hardware", "serial", "firmware"]

TYPES = {
    0x01: ("HELLO", 0), 0x02: ("WELCOME", 0), 0x03: ("AUTH", 0), 0x04: ("AUTH_OK", 0), 0x05: ("MEASURE", 3),
    0x06: ("MEASURED", 3), 0x10: ("REQ", 0), 0x11: ("RSP", 0), 0x12: ("ERR", None), 0x20: ("EVENT", 1),
    0x21: ("EVENT_ACK", 1), 0x22: ("LOG_READ", 2), 0x23: ("LOG_DATA", 2), 0x24: ("LOG_GONE", 2), 0x30: ("PING", 0),
    0x31: ("PONG", 0), 0x32: ("TIME_SET", 0), 0x40: ("BYE", 0), 0x41: ("RESTARTED", 0),
}  # fmt: skip

# Section 4.1 as it is printed: code, kind, fixed fields; tags behind the bar.
REPORT_TABLE = """
01 shuffle_started back mode |
02 shuffle_completed back mode identities | 1 count 5 defects
03 shuffle_stopped back reason | 2 cards_inside
04 jammed back activity place stack | 2 cards_inside
05 jam_cleared by_itself tries |
06 cards_loaded back | 1 count
07 cards_removed | 2 cards_inside
08 stack_dispensed back stack cards |
09 deal_stopped back reason stack | 2 cards_inside
0A deal_completed back stacks | 3 cards_left
0B face_up_card back activity |
0C button_pressed button |
0D mode_changed mode |
0E door_opened |
0F door_closed |
10 wager_sensed seat sensor locked |
11 wager_removed seat sensor locked |
12 lockout_engaged cause operation |
13 lockout_released cause operation |
14 dispensing_inhibited cause operation |
15 dispensing_allowed cause operation |
16 self_test_failed code |
17 service_due cycles |
18 powered_up reset_cause | 2 cards_inside
19 line_unparsed |
1A card_drawn back recognition burned repeat_suspected | 3 cards_left
1B cutting_card_sensed back |
1C alarm_raised severity code |
"""
FORMS = {
    "back": BACKS, "mode": MODES, "identities": IDENTITIES, "reason": REASONS, "activity": ACTIVITIES, "place": PLACES,
    "button": BUTTONS, "cause": CAUSES_OF_LEVELS, "reset_cause": RESETS, "by_itself": "flag", "locked": "flag",
    "recognition": ["not_read", "read", "unreadable"], "severity": ["warning", "alarm"], "burned": "flag",
    "repeat_suspected": "flag",
    "seat": range(1, 16), "sensor": range(1, 4), "operation": 8, "code": 2, "cycles": 4,
}  # fmt: skip
REPORTS = {int(row.split()[0], 16): row.split()[1:] for row in REPORT_TABLE.strip().splitlines()}


class Refused(Exception):
    """A frame that must not be taken, with the cause of section 1.3."""

    def __init__(self, cause):
        super().__init__(cause)
        self.cause = cause


class Cursor:
    """Reads on through a payload; running over its end is a payload that is impossible."""

    def __init__(self, data):
        self.left = list(data)

    def bytes(self, count):
        if len(self.left) < count:
            raise Refused("payload")
        taken, self.left = self.left[:count], self.left[count:]
        return bytes(taken)

    def number(self, size):
        total = 0
        for place, byte in enumerate(self.bytes(size)):
            total += byte * 256**place
        return total

    def numbers(self, layout):
        """`name:size` after `name:size`, as the tables of the page have them."""
        parts = [part.split(":") for part in layout.split()]
        return {name: self.number(int(size)) for name, size in parts}

    def hex(self, size):
        return self.bytes(size).hex()

    def boot(self):
        return f"{self.number(8):016x}"

    def tags(self):
        found = []
        while self.left:
            tag = self.number(1)
            found.append((tag, self.bytes(self.number(1))))
        return found


def check_value(data):
    """Section 1.2, one bit at a time: the long division by the polynomial as it is printed, on mirrored bits."""
    register = 0xFFFFFFFF
    for byte in data:
        mirrored = int(f"{byte:08b}"[::-1], 2)
        register ^= mirrored << 24
        for _ in range(8):
            register = ((register << 1) ^ 0x1EDC6F41 if register & 0x80000000 else register << 1) & 0xFFFFFFFF
    return int(f"{register ^ 0xFFFFFFFF:032b}"[::-1], 2)


def unstuff(piece):
    """Section 1.1."""
    data, rest = [], list(piece)
    while rest:
        code = rest.pop(0)
        if code == 0 or len(rest) < code - 1:
            raise Refused("cobs")
        block, rest = rest[: code - 1], rest[code - 1 :]
        if 0 in block:
            raise Refused("cobs")
        data += block
        if code < 0xFF and rest:
            data.append(0)
    return bytes(data)


def body_of(piece):
    """What stands between two zero bytes -> body, checked (sections 1.1 to 1.3)."""
    data = unstuff(piece)
    if len(data) < 18:
        raise Refused("length")
    if len(data) - 4 > 512:
        raise Refused("oversize")
    if check_value(data[:-4]) != sum(byte << 8 * place for place, byte in enumerate(data[-4:])):
        raise Refused("crc")
    return data[:-4]


class Receiver:
    """Section 1.3 as a machine that takes one byte at a time."""

    def __init__(self, gap_s=0.050):
        self.gap_s, self.piece, self.is_skipping, self.heard_at = gap_s, [], False, 0.0
        self.dropped = dict.fromkeys(CAUSES, 0)

    def take(self, data, now):
        bodies = []
        if now - self.heard_at >= self.gap_s:
            if self.piece:
                self.dropped["partial"] += 1
            self.piece, self.is_skipping = [], False
        self.heard_at = now
        for byte in data:
            if byte == 0:
                if self.piece and not self.is_skipping:
                    try:
                        bodies.append(body_of(self.piece))
                    except Refused as refused:
                        self.dropped[refused.cause] += 1
                self.piece, self.is_skipping = [], False
            elif not self.is_skipping:
                self.piece.append(byte)
                if len(self.piece) > 528:
                    self.dropped["oversize"] += 1
                    self.piece, self.is_skipping = [], True
        return bodies


def meaning_of(body):
    """Section 2: the header and its payload, in the form of section 9."""
    if len(body) < 14:
        raise Refused("length")
    cursor = Cursor(body)
    version, code, flags, channel = (cursor.number(1) for _ in range(4))
    seq, ack, session, length = cursor.number(2), cursor.number(2), cursor.number(4), cursor.number(2)
    if version // 16 != 1 and code not in (0x01, 0x02):
        raise Refused("version")
    if flags & 0xF4:
        raise Refused("version")
    if len(body) != 14 + length + (24 if flags & 0x02 else 0):
        raise Refused("length")
    if code not in TYPES:
        raise Refused("unexpected")
    name, home = TYPES[code]
    payload = PAYLOADS[name](Cursor(body[14 : 14 + length]))
    if channel != home and not (home is None and channel in (0, 1, 2, 3)):
        raise Refused("payload")
    return {"type": name, "flags": flags, "channel": channel, "seq": seq, "ack": ack, "session": f"{session:08x}",
            "payload": payload}  # fmt: skip


def hmac(key, data):
    """RFC 2104, as section 6.9 has it."""
    key = (sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner = sha256(bytes(b ^ 0x36 for b in key) + data).digest()
    return sha256(bytes(b ^ 0x5C for b in key) + inner).digest()


def session_keys(key, session, hello_payload, welcome_payload):
    """Section 6.9: what both ends work out from the shared key."""
    context = sha256(session.to_bytes(4, "little") + hello_payload + welcome_payload).digest()
    secret = hmac(context, key)
    names = ("host proof", "device proof", "host seal", "device seal", "measure")
    return {name: hmac(secret, b"TDP/1 " + name.encode() + b"\1") for name in names}


def sealed(seal_key, number, body):
    """Section 6.9: the body of a frame with flag 02, number and MAC."""
    body = bytes([body[0], body[1], body[2] | 0x02]) + body[3:] + number.to_bytes(8, "little")
    return body + hmac(seal_key, body)[:16]


def measured(measure_key, nonce, ranges, image):
    """Section 6.9: the digest of a MEASURED."""
    data = nonce
    for offset, length in ranges:
        data += offset.to_bytes(4, "little") + length.to_bytes(4, "little") + image[offset : offset + length]
    return hmac(measure_key, data)


def chain_key(key):
    """Section 6.10: the key of the chain over a device's log."""
    return hmac(hmac(bytes(32), key), b"TDP/1 log chain" + b"\1")


def chained(key, event_payload, before):
    """Section 6.10: the chain value of a record, from the payload of its EVENT and the value before it."""
    boot_counter_tick, code_and_fields = event_payload[:24], event_payload[32:]
    return hmac(chain_key(key), boot_counter_tick + before + code_and_fields)[:8]


def hello(c):
    meaning = c.numbers("min_version:1 max_version:1 max_body:2 window:1")
    c.number(1)
    return meaning | {"nonce": c.hex(16)}


def welcome(c):
    meaning = c.numbers("min_version:1 max_version:1 max_body:2 window:1")
    meaning |= {"nonce": c.hex(16), "device_nonce": c.hex(16)}
    kind, reset, boot, bits = c.number(1), c.number(1), c.boot(), c.number(4)
    meaning |= c.numbers("log_depth:4 tick_hz:4 log_first:8 log_last:8")
    meaning |= {"boot": boot, "firmware_hash": c.hex(32), "config_hash": c.hex(32), "old_logs": [], "extra": []}
    meaning["display"] = None
    if kind >= len(KINDS) or meaning["tick_hz"] == 0:
        raise Refused("payload")
    meaning |= {"kind": KINDS[kind], "reset_cause": reset_cause(reset)}
    meaning["capabilities"] = [name for place, name in enumerate(CAPABILITIES) if bits // 2**place % 2]
    meaning |= dict.fromkeys(TEXTS, "")
    for tag, value in c.tags():
        if 1 <= tag <= 5:
            meaning[TEXTS[tag - 1]] = name(value)
        elif tag == 6:
            log = Cursor(value)
            meaning["old_logs"].append({"boot": log.boot(), "first": log.number(8), "last": log.number(8)})
        elif tag == 7:
            if len(value) != 1 or value[0] == 0 or value[0] > 64:
                raise Refused("payload")
            meaning["display"] = value[0]
        elif len(meaning["extra"]) < 16:
            meaning["extra"].append([tag, value.hex()])
    if meaning["serial"] == "":
        raise Refused("payload")
    return meaning


def printable(character):
    """Section 3: of no category C or Z, but the space."""
    return character == " " or category(character)[0] not in "CZ"


def name(value):
    found = text(value)
    if len(value) > 48 or not all(map(printable, found)):
        raise Refused("payload")
    return found


def text(value):
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("payload") from None


def request(c):
    code = c.number(1)
    if code == 1:
        return {"request": "get_levels"}
    if code != 2:
        return {"request": "unknown", "code": code, "data": bytes(c.left).hex()}
    level, operation, tags = c.number(1), c.number(8), dict(c.tags())
    if not 1 <= level <= 5 or 1 not in tags:
        raise Refused("payload")
    name = ("lockout", "dispensing", "lamps", "display", "mode")[level - 1]
    return {"request": "set_level", "level": name, "value": text(tags[1]), "operation": operation}


def response(c):
    tags = dict(c.tags())
    if 1 not in tags:
        return {"levels": None}
    levels = Cursor(tags[1])
    lockout, dispensing, mode, bits = (levels.number(1) for _ in range(4))
    if lockout > 2 or dispensing > 2 or mode > 5 or bits > 3:
        raise Refused("payload")
    wagers, lamps = levels.number(8), levels.number(2)
    return {"levels": {
        "lockout": (None, "engaged", "released")[lockout], "dispensing": (None, "inhibited", "allowed")[dispensing],
        "mode": MODES[mode - 1] if mode else None, "jammed": bits in (1, 3), "door_open": bits in (2, 3),
        "cards_inside": small(dict(levels.tags()), 2), "wagers": wagers, "lamps": lamps,
    }}  # fmt: skip


def small(tags, tag):
    if tag not in tags:
        return None
    if len(tags[tag]) != 2:
        raise Refused("payload")
    return tags[tag][0] + 256 * tags[tag][1]


def error_text(tags):
    found = tags.get(1, b"")[:120].decode("utf-8", "replace")
    return "".join(character if printable(character) else "\N{REPLACEMENT CHARACTER}" for character in found)


def record(c):
    """Section 3.3. What is left of `c` is the report."""
    meaning = {"counter": c.number(8), "tick_us": c.number(8), "chain": c.hex(8)}
    code = c.number(1)
    if meaning["counter"] == 0:
        raise Refused("payload")
    try:
        return meaning | {"report": report(code, c)}
    except Refused:
        return meaning | {"report": {"kind": "unknown", "code": code}}


def report(code, c):
    if code not in REPORTS:
        raise Refused("payload")
    kind, *rest = REPORTS[code]
    fixed, tagged = rest[: rest.index("|")], rest[rest.index("|") + 1 :]
    meaning = {"kind": kind}
    for name in fixed:
        form = FORMS.get(name, 1)
        value = c.number(form if isinstance(form, int) else 1)
        if isinstance(form, list):
            if value >= len(form):
                raise Refused("payload")
            value = form[value]
        elif isinstance(form, range) and value not in form:
            raise Refused("payload")
        elif form == "flag":
            if value > 1:
                raise Refused("payload")
            value = value == 1
        meaning["cause" if name == "reset_cause" else name] = value
    tags = dict(c.tags())
    if tagged:
        meaning[tagged[1]] = small(tags, int(tagged[0]))
    if kind == "shuffle_completed":
        meaning["defects"] = defects(tags, meaning["identities"])
    if kind in ("line_unparsed", "alarm_raised"):
        if 4 not in tags or len(tags[4]) > 128:
            raise Refused("payload")
        meaning["text"] = "".join(map(chr, tags[4]))
    return meaning


def defects(tags, identities):
    bits = small(tags, 5) or 0
    if bits and identities != "incomplete":
        raise Refused("payload")
    names = ["missing", "extra", "duplicate", "foreign_back", "unreadable", "flipped"]
    return [name for place, name in enumerate(names) if bits // 2**place % 2]


def log_data(c):
    boot, records = c.boot(), []
    while c.left:
        records.append(record(Cursor(c.bytes(c.number(1)))))
        if len(records) > 1 and records[-1]["counter"] != records[-2]["counter"] + 1:
            raise Refused("payload")
    if not records:
        raise Refused("payload")
    return {"boot": boot, "records": records}


def reset_cause(number):
    return RESETS[number] if number < len(RESETS) else "unknown"


PAYLOADS = {
    "HELLO": hello,
    "WELCOME": welcome,
    "AUTH": lambda c: {"proof": c.hex(32)},
    "AUTH_OK": lambda c: {"proof": c.hex(32)},
    "MEASURE": lambda c: {"nonce": c.hex(16), "ranges": [[c.number(4), c.number(4)] for _ in range(8)]},
    "MEASURED": lambda c: {"digest": c.hex(32)},
    "REQ": request,
    "RSP": response,
    "ERR": lambda c: {"code": c.number(2), "retryable": c.number(1) != 0, "text": error_text(dict(c.tags()))},
    "EVENT": lambda c: {"boot": c.boot()} | record(c),
    "EVENT_ACK": lambda c: {"boot": c.boot()} | c.numbers("counter:8"),
    "LOG_READ": lambda c: {"boot": c.boot()} | c.numbers("first:8 last:8"),
    "LOG_DATA": log_data,
    "LOG_GONE": lambda c: {"boot": c.boot()} | c.numbers("first:8 last:8"),
    "PING": lambda c: {"nonce": c.hex(8)},
    "PONG": lambda c: {"nonce": c.hex(8), "boot": c.boot()} | c.numbers("tick_us:8 digest:4 log_last:8")
    | {"dropped": {cause: c.number(4) for cause in CAUSES}},
    "TIME_SET": lambda c: c.numbers("utc_us:8 uncertainty_us:4"),
    "BYE": lambda c: c.numbers("reason:1"),
    "RESTARTED": lambda c: {"boot": c.boot(), "cause": reset_cause(c.number(1))},
}  # fmt: skip
