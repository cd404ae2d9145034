-- CreateTable
CREATE TABLE "audit_records" (
    "tenant_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "stored_on" DATE NOT NULL,
    "id" UUID NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "trace_id" UUID NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" TEXT,
    "method" TEXT,
    "path" TEXT,
    "operation" TEXT,
    "permission" TEXT,
    "outcome" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "code" TEXT,
    "ip" TEXT NOT NULL,
    "user_agent" TEXT,
    "duration_ms" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "audit_records_pkey" PRIMARY KEY ("tenant_id","position","stored_on")
) PARTITION BY RANGE ("stored_on");

-- CreateTable
CREATE TABLE "audit_chains" (
    "tenant_id" UUID NOT NULL,
    "head_position" BIGINT NOT NULL DEFAULT 0,
    "sealed_position" BIGINT NOT NULL DEFAULT 0,
    "sealed_sequence" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "audit_chains_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "audit_seals" (
    "tenant_id" UUID NOT NULL,
    "sequence" BIGINT NOT NULL,
    "from_position" BIGINT NOT NULL,
    "to_position" BIGINT NOT NULL,
    "stored_on" DATE NOT NULL,
    "digest" TEXT NOT NULL,
    "previous_hash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "sealed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_seals_pkey" PRIMARY KEY ("tenant_id","sequence")
);

-- CreateIndex
CREATE INDEX "audit_records_tenant_id_trace_id_idx" ON "audit_records"("tenant_id", "trace_id");

-- CreateIndex
CREATE UNIQUE INDEX "audit_records_tenant_id_id_stored_on_key" ON "audit_records"("tenant_id", "id", "stored_on");

-- Chains with something to seal are found without reading all of them.
CREATE INDEX "audit_chains_unsealed" ON "audit_chains"("tenant_id") WHERE "head_position" > "sealed_position";

-- Records and seals are written once. Whoever gets around this trigger is found out by the chain.
CREATE FUNCTION "audit_refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit records and seals are never changed';
END
$$;
CREATE TRIGGER "audit_written_once" BEFORE UPDATE OR DELETE ON "audit_records" FOR EACH ROW EXECUTE FUNCTION "audit_refuse_change"();
CREATE TRIGGER "audit_written_once" BEFORE UPDATE OR DELETE ON "audit_seals" FOR EACH ROW EXECUTE FUNCTION "audit_refuse_change"();

-- The service owns no table, so partitions are made and dropped by these functions, as their owner.
-- A partition shows nothing to who asks it directly: row-level security without a policy.
CREATE FUNCTION "audit_make_partitions"("days" INTEGER) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
        CONTINUE WHEN to_regclass('public.' || name) IS NOT NULL;
        PERFORM pg_advisory_xact_lock(7366203);
        CONTINUE WHEN to_regclass('public.' || name) IS NOT NULL;
        EXECUTE format('CREATE TABLE %I (LIKE audit_records INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE audit_records ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, first_day, first_day + 1);
        made := made + 1;
    END LOOP;
    RETURN made;
END
$$;

-- What is younger than seven days cannot be dropped, whatever is asked.
CREATE FUNCTION "audit_drop_partitions"("keep_days" INTEGER) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    today DATE := (clock_timestamp() AT TIME ZONE 'UTC')::DATE;
    name TEXT;
    dropped INTEGER := 0;
BEGIN
    IF keep_days < 7 THEN
        RAISE EXCEPTION 'audit records are kept for at least 7 days, not %', keep_days;
    END IF;
    FOR name IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'public.audit_records'::regclass AND c.relname ~ '^audit_records_\d{8}$'
          AND to_date(right(c.relname, 8), 'YYYYMMDD') < today - keep_days
    LOOP
        EXECUTE format('DROP TABLE %I', name);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END
$$;

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "audit_records" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "audit_records" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "audit_records" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "audit_chains" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "audit_chains" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "audit_chains" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "audit_seals" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "audit_seals" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "audit_seals" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
