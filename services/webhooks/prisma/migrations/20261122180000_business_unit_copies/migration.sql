-- CreateTable
CREATE TABLE "business_unit_copies" (
    "business_unit_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "business_unit" JSONB NOT NULL,
    "payment_orchestrators" JSONB NOT NULL,

    CONSTRAINT "business_unit_copies_pkey" PRIMARY KEY ("business_unit_id"),
    CONSTRAINT "business_unit_copies_unit_check" CHECK ("business_unit"->>'id' IS NOT DISTINCT FROM "business_unit_id"::text),
    CONSTRAINT "business_unit_copies_orchestrators_check" CHECK (jsonb_typeof("payment_orchestrators") = 'array')
);

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "business_unit_copies" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "business_unit_copies" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "business_unit_copies" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
