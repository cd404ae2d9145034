-- What changed for a tenant, as one number per topic. Dispatchers of the previous version count nothing: waits for
-- their changes end after their time.
-- CreateTable
CREATE TABLE "change_sequences" (
    "tenant_id" UUID NOT NULL,
    "deliveries" BIGINT NOT NULL DEFAULT 0,
    "dead_letters" BIGINT NOT NULL DEFAULT 0,
    "events" BIGINT NOT NULL DEFAULT 0,
    "tasks" BIGINT NOT NULL DEFAULT 0,
    "subscriptions" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "change_sequences_pkey" PRIMARY KEY ("tenant_id")
) WITH (fillfactor = 50);

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "change_sequences" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "change_sequences" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "change_sequences" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
