-- What each store says in its own words; the views of ../0002-views.sql rest on it.
CREATE VIEW fact AS
SELECT source, split_part(source, ':', 3) AS site, split_part(source, ':', 4) AS table_name, journal, stream, sequence, day,
       kind, version, subject, COALESCE(round_id, body::jsonb -> 'data' ->> 'round') AS round_id, cause, time, recorded,
       EXTRACT(EPOCH FROM time) AS at, lpad(sequence::text, 20, '0') AS number, body::jsonb -> 'data' AS data
FROM event;

CREATE VIEW recorder_alarm AS
SELECT source, split_part(source, ':', 3) AS site_of, split_part(source, ':', 4) AS table_of,
       (opened AT TIME ZONE 'UTC')::date AS day_of, id, code, detail, opened, acknowledged, acknowledged_by, closed,
       EXTRACT(EPOCH FROM acknowledged - opened) AS seconds
FROM alarm;
