-- Events with more subscriptions than the first page of fan-out. A process of the previous version neither writes nor
-- reads the table.
-- CreateTable
CREATE TABLE "unfinished_fan_outs" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "tenant_event_id" UUID NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "position" UUID NOT NULL,
    "deliveries" INTEGER NOT NULL,
    "traceparent" TEXT,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "unfinished_fan_outs_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "unfinished_fan_outs_tenant_id_due_at_idx" ON "unfinished_fan_outs"("tenant_id", "due_at");

-- CreateIndex
CREATE UNIQUE INDEX "unfinished_fan_outs_tenant_id_tenant_event_id_occurred_at_key" ON "unfinished_fan_outs"("tenant_id", "tenant_event_id", "occurred_at");

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "unfinished_fan_outs" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "unfinished_fan_outs" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "unfinished_fan_outs" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
