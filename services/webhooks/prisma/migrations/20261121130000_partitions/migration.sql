-- Deliveries, attempts and events by the day, so that old ones go by dropping a table. The two tables that exist are copied;
-- docs/decisions/0081-partitions-of-deliveries.md says why this migration alone is not made for a rollout side by side.
ALTER TABLE "attempts" DROP CONSTRAINT "attempts_delivery_id_fkey";
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_subscription_id_fkey";

ALTER TABLE "deliveries" RENAME TO "deliveries_copied";
ALTER TABLE "deliveries_copied" RENAME CONSTRAINT "deliveries_pkey" TO "deliveries_copied_pkey";
ALTER TABLE "deliveries_copied" NO FORCE ROW LEVEL SECURITY;
DROP INDEX "deliveries_tenant_id_business_unit_id_id_idx";
DROP INDEX "deliveries_subscription_id_id_idx";
DROP INDEX "deliveries_sweep_at_idx";
DROP INDEX "deliveries_dead_idx";
ALTER TABLE "attempts" RENAME TO "attempts_copied";
ALTER TABLE "attempts_copied" RENAME CONSTRAINT "attempts_pkey" TO "attempts_copied_pkey";
ALTER TABLE "attempts_copied" NO FORCE ROW LEVEL SECURITY;

-- CreateEnum
CREATE TYPE "Breaker" AS ENUM ('closed', 'open', 'half_open');

-- CreateTable
CREATE TABLE "destinations" (
    "subscription_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "waiting" BOOLEAN NOT NULL DEFAULT false,
    "marks" BIGINT NOT NULL DEFAULT 0,
    "waiting_from" UUID,
    "waiting_to" UUID,
    "breaker" "Breaker" NOT NULL DEFAULT 'closed',
    "opened_at" TIMESTAMPTZ(3),
    "probe_at" TIMESTAMPTZ(3),
    "probe_delivery_id" UUID,

    CONSTRAINT "destinations_pkey" PRIMARY KEY ("subscription_id")
);

-- CreateTable
CREATE TABLE "events" (
    "tenant_id" UUID NOT NULL,
    "tenant_event_id" UUID NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "business_unit_id" UUID,
    "type" TEXT NOT NULL,
    "trace_id" UUID NOT NULL,
    "payload" TEXT NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("tenant_id","tenant_event_id","occurred_at")
) PARTITION BY RANGE ("occurred_at");

-- CreateTable
CREATE TABLE "deliveries" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "subscription_id" UUID NOT NULL,
    "business_unit_id" UUID NOT NULL,
    "tenant_event_id" UUID NOT NULL,
    "event_type" TEXT NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "trace_id" UUID NOT NULL,
    "body" BYTEA NOT NULL,
    "status" "DeliveryStatus" NOT NULL DEFAULT 'pending',
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "schedule_position" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "queued" BOOLEAN NOT NULL DEFAULT false,
    "waiting" BOOLEAN NOT NULL DEFAULT false,
    "sweep_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "dead_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");

-- CreateTable
CREATE TABLE "attempts" (
    "delivery_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "tenant_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "status_code" INTEGER,
    "error_kind" TEXT,
    "error_detail" TEXT,
    "response_body" BYTEA,
    "response_truncated" BOOLEAN NOT NULL,
    "timings" JSONB NOT NULL,
    "next_attempt_at" TIMESTAMPTZ(3),

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("delivery_id","number")
) PARTITION BY RANGE ("delivery_id");

-- CreateIndex
CREATE INDEX "deliveries_tenant_id_business_unit_id_id_idx" ON "deliveries"("tenant_id", "business_unit_id", "id");

-- CreateIndex
CREATE INDEX "deliveries_subscription_id_id_idx" ON "deliveries"("subscription_id", "id");

-- What is left to do, what stands in a line, and what was given up: few rows among many that are done.
CREATE INDEX "deliveries_sweep_at_idx" ON "deliveries"("sweep_at") WHERE "sweep_at" IS NOT NULL;
CREATE INDEX "deliveries_waiting_idx" ON "deliveries"("subscription_id", "id") WHERE "waiting";
CREATE INDEX "deliveries_dead_idx" ON "deliveries"("dead_at", "id") WHERE "status" = 'dead';
CREATE INDEX "destinations_waiting_idx" ON "destinations"("subscription_id") WHERE "waiting";

-- Rows whose day has no partition, e.g. of events that were published long after they occurred.
CREATE TABLE "events_default" PARTITION OF "events" DEFAULT;
CREATE TABLE "deliveries_default" PARTITION OF "deliveries" DEFAULT;
CREATE TABLE "attempts_default" PARTITION OF "attempts" DEFAULT;

-- A transaction sees the rows of the tenant it names, or none. A partition asked directly shows nothing: no policy of its own.
ALTER TABLE "destinations" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "destinations" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "destinations" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "events" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "events" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "events" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
ALTER TABLE "events_default" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "events_default" FORCE ROW LEVEL SECURITY;

ALTER TABLE "deliveries" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "deliveries_default" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "deliveries_default" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "deliveries" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "attempts" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "attempts_default" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "attempts_default" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "attempts" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

-- The first instant of a day, and the smallest UUID whose first 48 bits are its milliseconds (domain/delivery-id.ts).
CREATE FUNCTION "webhooks_first_instant"("day" DATE) RETURNS TIMESTAMPTZ LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT "day"::TIMESTAMP AT TIME ZONE 'UTC'
$$;
CREATE FUNCTION "webhooks_first_id"("day" DATE) RETURNS UUID LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT rpad(lpad(to_hex((extract(epoch FROM "day"::TIMESTAMP AT TIME ZONE 'UTC') * 1000)::BIGINT), 12, '0'), 32, '0')::UUID
$$;

-- The service owns no table, so partitions are made and dropped by these functions, as their owner. Both wait for locks for a
-- moment only, since others wait behind them; the job that calls them comes again.
--
-- A day of which the default partition has rows gets no partition of its own: those rows would have to be moved. Returns how many
-- partitions were missing and are there now.
CREATE FUNCTION "webhooks_make_partitions"("days_back" INTEGER, "days_ahead" INTEGER) RETURNS INTEGER
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
    PERFORM pg_advisory_xact_lock(7366204);
    FOR first_day IN SELECT today + ahead FROM generate_series(-days_back, days_ahead) AS ahead LOOP
        FOREACH parent IN ARRAY ARRAY['events', 'deliveries', 'attempts'] LOOP
            name := parent || '_' || to_char(first_day, 'YYYYMMDD');
            CONTINUE WHEN to_regclass('public.' || name) IS NOT NULL;
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

-- Days more than `keep_days` ago. What the default partitions hold of them is for the service to delete. Nothing younger than
-- a day can be dropped, whatever is asked.
CREATE FUNCTION "webhooks_drop_partitions"("keep_days" INTEGER) RETURNS INTEGER
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    today DATE := (clock_timestamp() AT TIME ZONE 'UTC')::DATE;
    name TEXT;
    dropped INTEGER := 0;
BEGIN
    IF keep_days < 1 THEN
        RAISE EXCEPTION 'deliveries are kept for at least a day, not %', keep_days;
    END IF;
    PERFORM pg_advisory_xact_lock(7366204);
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

SELECT "webhooks_make_partitions"(1, 7);

INSERT INTO "deliveries" ("id", "tenant_id", "subscription_id", "business_unit_id", "tenant_event_id", "event_type", "occurred_at",
    "trace_id", "body", "status", "attempt_count", "schedule_position", "next_attempt_at", "queued", "sweep_at", "last_error", "dead_at",
    "created_at", "updated_at")
SELECT "id", "tenant_id", "subscription_id", "business_unit_id", "tenant_event_id", "event_type", "occurred_at",
    "trace_id", "body", "status", "attempt_count", "schedule_position", "next_attempt_at", "queued", "sweep_at", "last_error", "dead_at",
    "created_at", "updated_at" FROM "deliveries_copied";
INSERT INTO "attempts" ("delivery_id", "number", "tenant_id", "started_at", "duration_ms", "status_code", "error_kind", "error_detail",
    "response_body", "response_truncated", "timings", "next_attempt_at")
SELECT "delivery_id", "number", "tenant_id", "started_at", "duration_ms", "status_code", "error_kind", "error_detail",
    "response_body", "response_truncated", "timings", "next_attempt_at" FROM "attempts_copied";
DROP TABLE "attempts_copied";
DROP TABLE "deliveries_copied";

-- Not forced before the rows were copied, which belong to many tenants.
ALTER TABLE "deliveries" FORCE ROW LEVEL SECURITY;
ALTER TABLE "attempts" FORCE ROW LEVEL SECURITY;
