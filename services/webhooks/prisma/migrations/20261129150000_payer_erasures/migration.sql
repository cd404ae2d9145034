-- Resources of which a service erased the payer.
CREATE TABLE "erased_resources" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "erased_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "erased_resources_pkey" PRIMARY KEY ("tenant_id", "id")
);

-- CreateIndex
CREATE INDEX "erased_resources_erased_at_idx" ON "erased_resources"("erased_at");

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "erased_resources" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "erased_resources" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "erased_resources" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

-- Reports of services about erased resources, whose copies the dispatcher erases.
CREATE TABLE "copy_erasures" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "erasure_id" UUID NOT NULL,
    "trace_id" UUID NOT NULL,
    "resource_ids" UUID[] NOT NULL,
    "pass" INTEGER NOT NULL DEFAULT 1,
    "position" UUID,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "copy_erasures_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "copy_erasures_pass_check" CHECK ("pass" IN (1, 2)),
    CONSTRAINT "copy_erasures_resources_check" CHECK (cardinality("resource_ids") BETWEEN 1 AND 200)
);

-- CreateIndex
CREATE INDEX "copy_erasures_tenant_id_due_at_idx" ON "copy_erasures"("tenant_id", "due_at");

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "copy_erasures" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "copy_erasures" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "copy_erasures" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
