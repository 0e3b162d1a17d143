-- Recomputes the hash of each event in seen(body) from its own content, and follows the chain: docs/mqtt.md 3. PostgreSQL 14 or later.
WITH event AS (
  SELECT body::json AS e, convert_to((body::json -> 'data')::text, 'UTF8') AS data,
         regexp_match(body::json ->> 'type', '\.([a-z0-9_]+)\.v([0-9]+)$') AS kind
  FROM seen
), said AS (
  SELECT e, decode(e ->> 'prevhash', 'hex') AS prevhash,
    coalesce(decode(e ->> 'datahash', 'hex'), sha256(int8send(16) || decode(e ->> 'salt', 'hex') || int8send(octet_length(data)) || data)) AS datahash,
    convert_to(format('[1,"%s","%s",%s,%s,"%s",%s,"%s",%s,"%s",%s,%s,%s,"%s","%s",null]',
      e ->> 'journal', e ->> 'stream', (e ->> 'sequence')::bigint, e ->> 'order', kind[1], kind[2], e ->> 'subject',
      coalesce(to_json(e ->> 'roundid')::text, 'null'), e ->> 'cause',
      (extract(epoch FROM (e ->> 'time')::timestamptz) * 1000000)::bigint,
      (extract(epoch FROM (e ->> 'recordedtime')::timestamptz) * 1000000)::bigint,
      e ->> 'monons', e ->> 'bootid', e ->> 'clockstate'), 'UTF8') AS header
  FROM event
), hashed AS (
  SELECT e, sha256(int8send(32) || prevhash || int8send(octet_length(header)) || header || int8send(32) || datahash) = decode(e ->> 'recordhash', 'hex') AS proven,
    e ->> 'prevhash' = coalesce(
      lag(e ->> 'recordhash') OVER (PARTITION BY e ->> 'journal', e ->> 'stream' ORDER BY (e ->> 'sequence')::bigint),
      CASE WHEN (e ->> 'sequence')::bigint = 1 THEN e ->> 'prevhash' END) AS follows
  FROM (SELECT DISTINCT ON (e ->> 'source', e ->> 'id') * FROM said) AS once
)
SELECT e ->> 'journal', e ->> 'stream', count(*), count(*) FILTER (WHERE proven), count(*) FILTER (WHERE follows)
FROM hashed GROUP BY 1, 2 ORDER BY 1, 2;
