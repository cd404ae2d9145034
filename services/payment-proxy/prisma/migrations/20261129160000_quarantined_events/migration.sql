-- Events of recorded outcomes that their contract rejected.
CREATE TABLE "quarantined_events" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "transaction_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "quarantined_events_pkey" PRIMARY KEY ("id")
);

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "quarantined_events" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "quarantined_events" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "quarantined_events" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
