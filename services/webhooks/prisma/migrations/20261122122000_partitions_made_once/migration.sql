-- Callers at the same time make, and drop, each partition once, however slow the database is. Two corrections:
-- 1. While one caller makes or drops partitions, the others return 0 at once. They waited, for at most the 2 s that are meant for
--    the locks of tables, and failed when a week of partitions took longer. Rows find the default partition meanwhile.
-- 2. pg_class is read instead of to_regclass, which answers from a cache that a wait for an advisory lock does not refresh.
CREATE OR REPLACE FUNCTION "webhooks_make_partitions"("days_back" INTEGER, "days_ahead" INTEGER) RETURNS INTEGER
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    today DATE := (clock_timestamp() AT TIME ZONE 'UTC')::DATE;
    first_day DATE;
    parent TEXT;
    low TEXT;
    high TEXT;
    name TEXT;
    made INTEGER := 0;
BEGIN
    IF days_back NOT BETWEEN 0 AND 60 OR days_ahead NOT BETWEEN 0 AND 60 THEN
        RAISE EXCEPTION 'partitions are made for 0 to 60 days back and ahead, not % and %', days_back, days_ahead;
    END IF;
    IF NOT pg_try_advisory_xact_lock(7366204) THEN
        RETURN 0;
    END IF;
    FOR first_day IN SELECT today + ahead FROM generate_series(-days_back, days_ahead) AS ahead LOOP
        FOREACH parent IN ARRAY ARRAY['events', 'deliveries', 'attempts'] LOOP
            name := parent || '_' || to_char(first_day, 'YYYYMMDD');
            CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = name AND relnamespace = 'public'::regnamespace);
            IF parent = 'events' THEN
                low := webhooks_first_instant(first_day)::TEXT;
                high := webhooks_first_instant(first_day + 1)::TEXT;
            ELSE
                low := webhooks_first_id(first_day)::TEXT;
                high := webhooks_first_id(first_day + 1)::TEXT;
            END IF;
            BEGIN
                EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name, parent);
                EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
                EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
                EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, name, low, high);
                made := made + 1;
            EXCEPTION WHEN check_violation THEN
                -- The default partition has rows of that day.
                CONTINUE;
            END;
        END LOOP;
    END LOOP;
    RETURN made;
END
$$;

CREATE OR REPLACE FUNCTION "webhooks_drop_partitions"("keep_days" INTEGER) RETURNS INTEGER
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    today DATE := (clock_timestamp() AT TIME ZONE 'UTC')::DATE;
    name TEXT;
    dropped INTEGER := 0;
BEGIN
    IF keep_days < 1 THEN
        RAISE EXCEPTION 'deliveries are kept for at least a day, not %', keep_days;
    END IF;
    IF NOT pg_try_advisory_xact_lock(7366204) THEN
        RETURN 0;
    END IF;
    FOR name IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent IN ('public.events'::regclass, 'public.deliveries'::regclass, 'public.attempts'::regclass)
          AND c.relname ~ '^(events|deliveries|attempts)_\d{8}$' AND to_date(right(c.relname, 8), 'YYYYMMDD') < today - keep_days
        ORDER BY right(c.relname, 8), c.relname
    LOOP
        EXECUTE format('DROP TABLE %I', name);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END
$$;
