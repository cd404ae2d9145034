-- Addresses that codes had before their tenant corrected the recipient.
CREATE TABLE "corrected_recipients" (
    "tenant_id" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "code_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "corrected_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "corrected_recipients_pkey" PRIMARY KEY ("tenant_id", "address", "code_id")
);

-- CreateIndex
CREATE INDEX "corrected_recipients_corrected_at_idx" ON "corrected_recipients"("corrected_at");

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "corrected_recipients" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "corrected_recipients" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "corrected_recipients" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
