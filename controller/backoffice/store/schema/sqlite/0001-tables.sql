-- Tables of the recorder. Times are text: UTC, six digits, Z.
-- `body` is the event as it came, character for character; the other columns of `event` are read from it.
CREATE TABLE event (
    source     TEXT NOT NULL,  -- urn:tablewarden:{site}:{table}
    journal    TEXT NOT NULL,
    stream     TEXT NOT NULL,
    sequence   INTEGER NOT NULL,
    day        TEXT NOT NULL,  -- UTC date of recordedtime
    type       TEXT NOT NULL,
    kind       TEXT NOT NULL,  -- of type: what happened, without vendor, device class and version
    version    INTEGER NOT NULL,
    subject    TEXT NOT NULL,
    round_id   TEXT,
    cause      TEXT,
    time       TEXT NOT NULL,
    recorded   TEXT NOT NULL,
    mono_ns    INTEGER NOT NULL,
    boot       TEXT NOT NULL,
    clock      TEXT NOT NULL,
    ord        INTEGER,                -- order; null from tables that do not publish it
    prevhash   BLOB NOT NULL,
    recordhash BLOB NOT NULL,
    datahash   BLOB,
    salt       BLOB,
    withheld   INTEGER NOT NULL,
    body       TEXT NOT NULL,
    received   TEXT NOT NULL,
    PRIMARY KEY (source, journal, stream, sequence)
) STRICT;

CREATE TABLE stream_position (
    source    TEXT NOT NULL,
    journal   TEXT NOT NULL,
    stream    TEXT NOT NULL,
    through   INTEGER NOT NULL,  -- all numbers from 1 to here are stored, or were pruned at the table before they came
    held      TEXT NOT NULL,  -- JSON: [[first, last, prevhash of first, recordhash of last], ...]
    head      INTEGER NOT NULL,  -- highest number that the table has named
    head_time TEXT,                  -- when it named it, by the clock of this recorder
    PRIMARY KEY (source, journal, stream)
) STRICT;

CREATE TABLE table_seen (
    source    TEXT NOT NULL PRIMARY KEY,
    journal   TEXT,                  -- the present one
    created   INTEGER,                -- of the present journal: microseconds since 1970
    session   INTEGER,
    state     TEXT,                  -- online, offline, lost
    reason    TEXT,
    machine   TEXT,
    process   TEXT,
    version   TEXT,                  -- of the table's software
    heard     TEXT,                  -- last message of any kind
    heartbeat TEXT
) STRICT;

CREATE TABLE alarm (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    source       TEXT NOT NULL,
    code         TEXT NOT NULL,  -- gap, tail, fork, new_journal, went_back, silent, refused, deaf
    journal      TEXT NOT NULL DEFAULT '',
    stream       TEXT NOT NULL DEFAULT '',
    first        INTEGER NOT NULL DEFAULT 0,  -- numbers of the stream that it is about
    last         INTEGER NOT NULL DEFAULT 0,
    detail       TEXT NOT NULL,
    opened       TEXT NOT NULL,
    asked        TEXT,                  -- when a replay was last asked for
    filled       TEXT,                  -- when the condition ended; stays null where a condition cannot end
    acknowledged TEXT,
    acknowledged_by TEXT,
    closed       TEXT                   -- acknowledged, and ended where it can end
) STRICT;
CREATE UNIQUE INDEX alarm_standing ON alarm (source, code, journal, stream, first) WHERE filled IS NULL AND closed IS NULL;
CREATE INDEX alarm_open ON alarm (source) WHERE closed IS NULL;
CREATE INDEX alarm_opened ON alarm (opened);

CREATE TABLE checkpoint (
    source    TEXT NOT NULL,
    journal   TEXT NOT NULL,
    ord       INTEGER NOT NULL,
    statement TEXT NOT NULL,  -- the signed text, byte for byte
    signature TEXT NOT NULL,
    key       TEXT NOT NULL,
    received  TEXT NOT NULL,
    PRIMARY KEY (source, journal, ord, signature)
) STRICT;

-- Holes that the table has declared.
CREATE TABLE parked (
    source    TEXT NOT NULL,
    journal   TEXT NOT NULL,
    stream    TEXT NOT NULL,
    first     INTEGER NOT NULL,
    last      INTEGER NOT NULL,
    reason    TEXT NOT NULL,  -- parked: the broker would not take them; pruned: they left the table before they came
    declared  TEXT NOT NULL,
    withdrawn TEXT,                  -- the table does not declare it any more
    PRIMARY KEY (source, journal, stream, first, last, declared)
) STRICT;

-- Messages on event topics that are no events.
CREATE TABLE refused (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    source   TEXT NOT NULL,
    topic    TEXT NOT NULL,
    reason   TEXT NOT NULL,
    size     INTEGER NOT NULL,
    sha256   TEXT NOT NULL,
    payload  BLOB NOT NULL,  -- its first 4,096 bytes
    received TEXT NOT NULL
) STRICT;

-- What prune has taken out: events of this class before this day may be missing here, and were stored once.
CREATE TABLE retention (
    class  TEXT NOT NULL PRIMARY KEY,  -- main, diag
    before TEXT NOT NULL
) STRICT;

-- Who writes here. The lock that counts is the one on the file beside the store.
CREATE TABLE recorder (
    name    TEXT NOT NULL,
    share   INTEGER NOT NULL,
    shares  INTEGER NOT NULL,
    host    TEXT NOT NULL,
    pid     INTEGER NOT NULL,
    since   TEXT NOT NULL,
    PRIMARY KEY (name, share, shares)
) STRICT;
