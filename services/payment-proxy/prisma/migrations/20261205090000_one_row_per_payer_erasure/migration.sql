-- One row for each erasure: the work of the service, then the memory of the payer by a keyed hash.
DROP TABLE "payer_erasures";

CREATE TABLE "payer_erasures" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "trace_id" UUID NOT NULL,
    "address" TEXT,
    "address_hash" BYTEA,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "position" UUID,
    "resources" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payer_erasures_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "payer_erasures_due_check" CHECK (("address" IS NULL) = ("due_at" IS NULL)),
    CONSTRAINT "payer_erasures_hash_check" CHECK (length("address_hash") = 32)
);

-- CreateIndex
CREATE INDEX "payer_erasures_tenant_id_due_at_idx" ON "payer_erasures"("tenant_id", "due_at");

-- CreateIndex
CREATE INDEX "payer_erasures_tenant_id_address_hash_idx" ON "payer_erasures"("tenant_id", "address_hash");

-- CreateIndex
CREATE INDEX "payer_erasures_created_at_idx" ON "payer_erasures"("created_at");

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "payer_erasures" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "payer_erasures" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "payer_erasures" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
