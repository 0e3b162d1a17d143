-- Views for people, in both stores, on the views `fact` and `recorder_alarm` of each. Name `day` in a query of many days: in
-- PostgreSQL it picks the partitions.
CREATE VIEW round AS
SELECT b.source, b.site, b.table_name, b.journal, b.day, b.round_id,
       CAST(b.data ->> 'number' AS BIGINT) AS number, b.data ->> 'game' AS game, b.data ->> 'back' AS back,
       b.data ->> 'method' AS method, b.time AS begun, e.time AS ended, e.data ->> 'outcome' AS outcome,
       e.at - b.at AS seconds, CAST(e.data ->> 'cards' AS BIGINT) AS cards, e.data ->> 'unchecked' AS unchecked
FROM fact b
LEFT JOIN fact e ON e.kind = 'round_ended' AND e.source = b.source AND e.journal = b.journal AND e.round_id = b.round_id
WHERE b.kind = 'round_begun';

-- One row a disposition. `demands` and `cite` are JSON.
CREATE VIEW disposition AS
SELECT source, site, table_name, journal, day, time, round_id, CAST(data ->> 'seat' AS BIGINT) AS seat,
       data ->> 'trigger' AS trigger_, CAST(data ->> 'silent' AS TEXT) IN ('1', 'true') AS silent,
       data ->> 'cite' AS cite, data ->> 'demands' AS demands, data ->> 'guards' AS guards, data ->> 'says' AS says,
       data ->> 'rulebook' AS rulebook, data ->> 'edition' AS edition, data ->> 'sha256' AS sha256
FROM fact
WHERE kind = 'disposition_made';

-- One row a wager of a round, as it stands now. Money in whole cents; `owed_cents`: of corrections after it was settled.
CREATE VIEW wager AS
SELECT source, site, table_name, journal, MIN(day) AS day, round_id, CAST(data ->> 'seat' AS BIGINT) AS seat,
       data ->> 'wager' AS wager, MAX(data ->> 'currency') AS currency, MAX(data ->> 'player') AS player,
       SUM(CASE WHEN kind = 'wager_placed' THEN CAST(data ->> 'cents' AS BIGINT) END) AS placed_cents,
       MAX(CASE WHEN kind = 'wager_withdrawn' THEN 1 ELSE 0 END) = 1 AS withdrawn,
       substr(MAX(CASE WHEN kind = 'wager_decided' THEN number || (data ->> 'fate') END), 21) AS fate,
       substr(MAX(CASE WHEN kind IN ('wager_settled', 'settlement_corrected') THEN number || (data ->> 'outcome') END), 21)
           AS outcome,
       SUM(CASE WHEN kind = 'wager_settled' THEN CAST(data ->> 'returned' AS BIGINT) END) AS returned_cents,
       SUM(CASE WHEN kind = 'wager_settled' THEN CAST(data ->> 'paid' AS BIGINT) END) AS paid_cents,
       SUM(CASE WHEN kind = 'settlement_corrected' THEN CAST(data ->> 'owed' AS BIGINT) END) AS owed_cents
FROM fact
WHERE kind IN ('wager_placed', 'wager_withdrawn', 'wager_decided', 'wager_settled', 'settlement_corrected')
GROUP BY source, site, table_name, journal, round_id, data ->> 'seat', data ->> 'wager';

-- Holds and device alarms of tables, and alarms of the recorder. `seen`: when the first person answered for it.
CREATE VIEW alarm_life AS
SELECT p.source, p.site, p.table_name, p.day, 'hold' AS origin, p.data ->> 'hold' AS id, p.data ->> 'reason' AS what,
       p.round_id, p.time AS raised, l.time AS seen, l.data ->> 'by' AS seen_by, l.time AS ended, l.at - p.at AS seconds
FROM fact p
LEFT JOIN fact l ON l.kind = 'hold_lifted' AND l.source = p.source AND l.journal = p.journal
                AND l.data ->> 'hold' = p.data ->> 'hold'
WHERE p.kind = 'hold_placed'
UNION ALL
SELECT p.source, p.site, p.table_name, p.day, 'device', p.subject, p.reason || ': ' || p.detail, p.round_id, p.time,
       MIN(s.time), substr(MIN(s.number || (s.data ->> 'by')), 21),
       MIN(CASE WHEN s.kind = 'alarm_cleared' THEN s.time END), MIN(s.at) - p.at
FROM (SELECT source, site, table_name, day, journal, sequence, subject, round_id, time, at,
             COALESCE(data ->> 'reason', 'device_alarm') AS reason, COALESCE(data ->> 'detail', data ->> 'text', '') AS detail
      FROM fact
      WHERE kind = 'security_alarm' OR (kind = 'alarm_raised' AND data ->> 'severity' = 'alarm')) AS p
LEFT JOIN fact s ON s.kind IN ('alarm_seen', 'alarm_cleared') AND s.source = p.source AND s.journal = p.journal
                AND s.data ->> 'device' = p.subject AND s.data ->> 'reason' = p.reason AND s.at >= p.at
GROUP BY p.source, p.site, p.table_name, p.day, p.journal, p.sequence, p.subject, p.reason, p.detail, p.round_id, p.time, p.at
UNION ALL
SELECT source, site_of, table_of, day_of, 'recorder', CAST(id AS TEXT), code || ': ' || detail, NULL, opened, acknowledged,
       acknowledged_by, closed, seconds
FROM recorder_alarm;

-- The newest news of each device, and who it said it was when it came last.
CREATE VIEW device AS
SELECT source, site, table_name, device, MAX(CASE WHEN newest = 1 THEN kind END) AS last_event,
       MAX(CASE WHEN newest = 1 THEN time END) AS last_time,
       MAX(CASE WHEN kind = 'device_online' AND newest_of_kind = 1 THEN data ->> 'device_kind' END) AS device_kind,
       MAX(CASE WHEN kind = 'device_online' AND newest_of_kind = 1 THEN data ->> 'model' END) AS model,
       MAX(CASE WHEN kind = 'device_online' AND newest_of_kind = 1 THEN data ->> 'serial' END) AS serial,
       MAX(CASE WHEN kind = 'device_online' AND newest_of_kind = 1 THEN data ->> 'firmware' END) AS firmware,
       SUM(CASE WHEN kind = 'jammed' THEN 1 ELSE 0 END) AS jams,
       SUM(CASE WHEN kind = 'device_offline' THEN 1 ELSE 0 END) AS times_offline,
       SUM(CASE WHEN kind IN ('alarm_raised', 'security_alarm') THEN 1 ELSE 0 END) AS alarms
FROM (SELECT source, site, table_name, subject AS device, kind, time, data,
             ROW_NUMBER() OVER (PARTITION BY source, subject ORDER BY recorded DESC, sequence DESC) AS newest,
             ROW_NUMBER() OVER (PARTITION BY source, subject, kind ORDER BY recorded DESC, sequence DESC) AS newest_of_kind
      FROM fact WHERE subject <> 'table') AS news
GROUP BY source, site, table_name, device;

-- One row a closing of bets at which a progressive wager was accepted, and one a count of chips.
CREATE VIEW progressive AS
SELECT source, site, table_name, journal, day, time, round_id, kind,
       CASE WHEN kind = 'progressive_counted' THEN CAST(data ->> 'accepted' AS BIGINT)
            ELSE length(data ->> 'accepted') - length(replace(data ->> 'accepted', ',', '')) + 1 END AS accepted,
       CASE WHEN kind = 'progressive_counted' THEN CAST(data ->> 'chips' AS BIGINT) END AS counted,
       CASE WHEN kind = 'progressive_counted'
            THEN CAST(data ->> 'chips' AS BIGINT) - CAST(data ->> 'accepted' AS BIGINT) END AS difference,
       data ->> 'by' AS counted_by
FROM fact
WHERE kind = 'progressive_counted' OR (kind = 'bets_closed' AND data ->> 'accepted' <> '[]');
