-- Deleted subscriptions whose unfinished deliveries the dispatcher discards.
CREATE TABLE "subscription_discards" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "position" UUID,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscription_discards_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "subscription_discards_tenant_id_due_at_idx" ON "subscription_discards"("tenant_id", "due_at");

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "subscription_discards" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "subscription_discards" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "subscription_discards" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
