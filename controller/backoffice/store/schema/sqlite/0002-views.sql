-- What each store says in its own words; the views of ../0002-views.sql rest on it.
CREATE VIEW fact AS
SELECT source, substr(source, 17, instr(substr(source, 17), ':') - 1) AS site,
       substr(source, 17 + instr(substr(source, 17), ':')) AS table_name, journal, stream, sequence, day,
       kind, version, subject, COALESCE(round_id, body -> '$.data' ->> 'round') AS round_id, cause, time, recorded,
       (julianday(time) - 2440587.5) * 86400 AS at, printf('%020d', sequence) AS number, body -> '$.data' AS data
FROM event;

CREATE VIEW recorder_alarm AS
SELECT source, substr(source, 17, instr(substr(source, 17), ':') - 1) AS site_of,
       substr(source, 17 + instr(substr(source, 17), ':')) AS table_of,
       substr(opened, 1, 10) AS day_of, id, code, detail, opened, acknowledged, acknowledged_by, closed,
       (julianday(acknowledged) - julianday(opened)) * 86400 AS seconds
FROM alarm;
