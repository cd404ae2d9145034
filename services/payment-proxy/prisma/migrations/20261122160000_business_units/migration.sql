-- Copies of business units and their payment orchestrators (packages/business-unit-copies).
CREATE TABLE "business_unit_copies" (
    "business_unit_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "business_unit" JSONB NOT NULL,
    "payment_orchestrators" JSONB NOT NULL,

    CONSTRAINT "business_unit_copies_pkey" PRIMARY KEY ("business_unit_id"),
    CONSTRAINT "business_unit_copies_unit_check" CHECK ("business_unit"->>'id' IS NOT DISTINCT FROM "business_unit_id"::text),
    CONSTRAINT "business_unit_copies_orchestrators_check" CHECK (jsonb_typeof("payment_orchestrators") = 'array')
);

ALTER TABLE "business_unit_copies" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "business_unit_copies" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "business_unit_copies" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

-- Every transaction has a payment orchestrator. Those without one, and those created before payment orchestrators
-- existed, use the sandbox orchestrator of their business unit, whose id is a UUID v8 of the id of the unit.
DO $$
BEGIN
  PERFORM set_config('app.tenant_id', '*', true);
  UPDATE "transactions" SET "payment_orchestrator_id" = (
    SELECT overlay(overlay(left(encode(digest, 'hex'), 32) placing '8' from 13)
      placing substr('89ab', 1 + get_byte(digest, 8) / 16 % 4, 1) from 17)::uuid
    FROM sha256(convert_to('sandbox:' || "business_unit_id"::text, 'UTF8')) AS digest
  );
  PERFORM set_config('app.tenant_id', '', true);
END
$$;
ALTER TABLE "transactions" ALTER COLUMN "payment_orchestrator_id" SET NOT NULL;
