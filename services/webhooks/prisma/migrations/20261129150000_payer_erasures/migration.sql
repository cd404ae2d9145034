-- Resources of which a service erased the payer.
CREATE TABLE "erased_resources" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "erased_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "due_at" TIMESTAMPTZ(3),

    CONSTRAINT "erased_resources_pkey" PRIMARY KEY ("tenant_id", "id")
);

-- CreateIndex
CREATE INDEX "erased_resources_tenant_id_due_at_idx" ON "erased_resources"("tenant_id", "due_at") WHERE "due_at" IS NOT NULL;

-- CreateIndex
CREATE INDEX "erased_resources_erased_at_idx" ON "erased_resources"("erased_at");

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "erased_resources" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "erased_resources" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "erased_resources" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
