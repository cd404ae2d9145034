SET lock_timeout = '5s';
-- A transaction that was voided before an authorization does not hold its reference. The index keeps its name, by which
-- the previous release knows a duplicate. Operators may have created it CONCURRENTLY before, as
-- "transactions_held_reference_key".
CREATE UNIQUE INDEX IF NOT EXISTS "transactions_held_reference_key" ON "transactions"("tenant_id", "business_unit_id", "external_reference")
WHERE "status" <> 'voided' OR "amount_authorized" > 0;
DROP INDEX "transactions_tenant_id_business_unit_id_external_reference_key";
ALTER INDEX "transactions_held_reference_key" RENAME TO "transactions_tenant_id_business_unit_id_external_reference_key";
