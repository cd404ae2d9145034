-- Rows by hour of their creation, business unit and status (packages/chassis/src/database/hourly-counts.ts).
CREATE TABLE "hourly_counts" (
    "tenant_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "business_unit_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "hourly_counts_pkey" PRIMARY KEY ("tenant_id", "hour", "business_unit_id", "status")
);

-- When an hour is counted again; null: never.
CREATE TABLE "counted_hours" (
    "tenant_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),

    CONSTRAINT "counted_hours_pkey" PRIMARY KEY ("tenant_id", "hour")
);

-- The retention reads by the hour, the job by the time of the next count.
CREATE INDEX "hourly_counts_hour_idx" ON "hourly_counts"("hour");
CREATE INDEX "counted_hours_hour_idx" ON "counted_hours"("hour");
CREATE INDEX "counted_hours_tenant_id_due_at_idx" ON "counted_hours"("tenant_id", "due_at");

ALTER TABLE "hourly_counts" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "hourly_counts" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "hourly_counts" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "counted_hours" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "counted_hours" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "counted_hours" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
