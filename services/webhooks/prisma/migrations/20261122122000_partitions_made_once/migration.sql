-- Callers at the same time make each partition once. Two corrections of webhooks_make_partitions:
-- 1. A caller waits for another one longer than for the tables: making a week of partitions may take more than 2 s.
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
    PERFORM set_config('lock_timeout', '8s', true);
    PERFORM pg_advisory_xact_lock(7366204);
    PERFORM set_config('lock_timeout', '2s', true);
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
