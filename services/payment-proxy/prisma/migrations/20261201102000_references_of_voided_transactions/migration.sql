SET lock_timeout = '5s';
-- A transaction that was voided before an authorization does not hold its reference. Operators may have created the index
-- CONCURRENTLY before.
CREATE UNIQUE INDEX IF NOT EXISTS "transactions_held_reference_key" ON "transactions"("tenant_id", "business_unit_id", "external_reference")
WHERE "status" <> 'voided' OR "amount_authorized" > 0;
