-- Callers at the same time make each partition once. pg_class is read instead of to_regclass, which answers from a cache that a
-- wait for an advisory lock does not refresh: the second caller tried to make what the first one had made.
CREATE OR REPLACE FUNCTION "audit_make_partitions"("days" INTEGER) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    today DATE := (clock_timestamp() AT TIME ZONE 'UTC')::DATE;
    first_day DATE;
    name TEXT;
    made INTEGER := 0;
BEGIN
    IF days NOT BETWEEN 0 AND 60 THEN
        RAISE EXCEPTION 'partitions are made for 0 to 60 days ahead, not %', days;
    END IF;
    FOR ahead IN 0..days LOOP
        first_day := today + ahead;
        name := 'audit_records_' || to_char(first_day, 'YYYYMMDD');
        CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = name AND relnamespace = 'public'::regnamespace);
        PERFORM pg_advisory_xact_lock(7366203);
        CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = name AND relnamespace = 'public'::regnamespace);
        EXECUTE format('CREATE TABLE %I (LIKE audit_records INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE audit_records ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, first_day, first_day + 1);
        made := made + 1;
    END LOOP;
    RETURN made;
END
$$;
