-- Transactions whose reference begins with a text. Operators may have created it CONCURRENTLY before.
CREATE INDEX IF NOT EXISTS "transactions_tenant_reference_idx" ON "transactions"("tenant_id", "external_reference" text_pattern_ops)
WHERE "external_reference" IS NOT NULL;
