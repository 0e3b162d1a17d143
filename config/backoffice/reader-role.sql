-- A role that reads the store and changes nothing: for dashboards, reports and auditors. Run it once as the owner of the store:
--   psql -d backoffice -f reader-role.sql
-- Then let people in: CREATE ROLE grafana LOGIN PASSWORD '...' IN ROLE tablewarden_reader;
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tablewarden_reader') THEN
    CREATE ROLE tablewarden_reader NOLOGIN;
  END IF;
END $$;
GRANT USAGE ON SCHEMA public TO tablewarden_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO tablewarden_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO tablewarden_reader;  -- also of partitions still to come
