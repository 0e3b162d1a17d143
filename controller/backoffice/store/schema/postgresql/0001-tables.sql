-- Tables of the recorder. `body` is the event as it came, character for character; all other columns of `event` are read from it.
CREATE TABLE event (
    source     text        NOT NULL,  -- urn:tablewarden:{site}:{table}
    journal    text        NOT NULL,
    stream     text        NOT NULL,
    sequence   bigint      NOT NULL,
    day        date        NOT NULL,  -- UTC date of recordedtime: the partition
    type       text        NOT NULL,
    kind       text        NOT NULL,  -- of type: what happened, without vendor, device class and version
    version    integer     NOT NULL,
    subject    text        NOT NULL,
    round_id   text,
    cause      text,
    time       timestamptz NOT NULL,
    recorded   timestamptz NOT NULL,
    mono_ns    bigint      NOT NULL,
    boot       text        NOT NULL,
    clock      text        NOT NULL,
    ord        bigint,                -- order; null from tables that do not publish it
    prevhash   bytea       NOT NULL,
    recordhash bytea       NOT NULL,
    datahash   bytea,
    salt       bytea,
    withheld   boolean     NOT NULL,
    body       text        NOT NULL,
    received   timestamptz NOT NULL,
    PRIMARY KEY (source, journal, stream, sequence, day)
) PARTITION BY LIST (stream);

-- Retention classes. A day of a class is one partition, event_main_20260101; prune drops it. Days out of reason stay in _rest.
CREATE TABLE event_main PARTITION OF event FOR VALUES IN ('main') PARTITION BY RANGE (day);
CREATE TABLE event_diag PARTITION OF event FOR VALUES IN ('diag') PARTITION BY RANGE (day);
CREATE TABLE event_main_rest PARTITION OF event_main DEFAULT;
CREATE TABLE event_diag_rest PARTITION OF event_diag DEFAULT;
CREATE TABLE event_other PARTITION OF event DEFAULT;  -- streams that this release does not know

CREATE TABLE stream_position (
    source    text        NOT NULL,
    journal   text        NOT NULL,
    stream    text        NOT NULL,
    through   bigint      NOT NULL,  -- all numbers from 1 to here are stored, or were pruned at the table before they came
    held      text        NOT NULL,  -- JSON: [[first, last, prevhash of first, recordhash of last], ...]
    head      bigint      NOT NULL,  -- highest number that the table has named
    head_time timestamptz,           -- when it named it, by the clock of this recorder
    PRIMARY KEY (source, journal, stream)
) WITH (fillfactor = 50);

CREATE TABLE table_seen (
    source    text        NOT NULL PRIMARY KEY,
    journal   text,                  -- the present one
    created   bigint,                -- of the present journal: microseconds since 1970
    session   bigint,
    state     text,                  -- online, offline, lost
    reason    text,
    machine   text,
    process   text,
    version   text,                  -- of the table's software
    heard     timestamptz,           -- last message of any kind
    heartbeat timestamptz
) WITH (fillfactor = 50);

CREATE TABLE alarm (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source       text        NOT NULL,
    code         text        NOT NULL,  -- gap, tail, fork, new_journal, went_back, silent, refused, deaf
    journal      text        NOT NULL DEFAULT '',
    stream       text        NOT NULL DEFAULT '',
    first        bigint      NOT NULL DEFAULT 0,  -- numbers of the stream that it is about
    last         bigint      NOT NULL DEFAULT 0,
    detail       text        NOT NULL,
    opened       timestamptz NOT NULL,
    asked        timestamptz,           -- when a replay was last asked for
    filled       timestamptz,           -- when the condition ended; stays null where a condition cannot end
    acknowledged timestamptz,
    acknowledged_by text,
    closed       timestamptz            -- acknowledged, and ended where it can end
);
CREATE UNIQUE INDEX alarm_standing ON alarm (source, code, journal, stream, first) WHERE filled IS NULL AND closed IS NULL;
CREATE INDEX alarm_open ON alarm (source) WHERE closed IS NULL;
CREATE INDEX alarm_opened ON alarm (opened);

CREATE TABLE checkpoint (
    source    text        NOT NULL,
    journal   text        NOT NULL,
    ord       bigint      NOT NULL,
    statement text        NOT NULL,  -- the signed text, byte for byte
    signature text        NOT NULL,
    key       text        NOT NULL,
    received  timestamptz NOT NULL,
    PRIMARY KEY (source, journal, ord, signature)
);

-- Holes that the table has declared.
CREATE TABLE parked (
    source    text        NOT NULL,
    journal   text        NOT NULL,
    stream    text        NOT NULL,
    first     bigint      NOT NULL,
    last      bigint      NOT NULL,
    reason    text        NOT NULL,  -- parked: the broker would not take them; pruned: they left the table before they came
    declared  timestamptz NOT NULL,
    withdrawn timestamptz,           -- the table does not declare it any more
    PRIMARY KEY (source, journal, stream, first, last, declared)
);

-- Messages on event topics that are no events.
CREATE TABLE refused (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source   text        NOT NULL,
    topic    text        NOT NULL,
    reason   text        NOT NULL,
    size     bigint      NOT NULL,
    sha256   text        NOT NULL,
    payload  bytea       NOT NULL,  -- its first 4,096 bytes
    received timestamptz NOT NULL
);

-- What prune has taken out: events of this class before this day may be missing here, and were stored once.
CREATE TABLE retention (
    class  text NOT NULL PRIMARY KEY,  -- main, diag
    before date NOT NULL
);

-- Who writes here. The lock that counts is an advisory lock of the connection that writes.
CREATE TABLE recorder (
    name    text        NOT NULL,
    share   integer     NOT NULL,
    shares  integer     NOT NULL,
    host    text        NOT NULL,
    pid     bigint      NOT NULL,
    since   timestamptz NOT NULL,
    PRIMARY KEY (name, share, shares)
);
