SET lock_timeout = '5s';
-- A transaction whose codes have ended gets a new one: at most one code of a transaction can be paid. Operators may have
-- created the indexes CONCURRENTLY before.
CREATE UNIQUE INDEX IF NOT EXISTS "codes_one_open_key" ON "codes"("transaction_id") WHERE "status" IN ('active', 'processing');
CREATE INDEX IF NOT EXISTS "codes_tenant_id_transaction_id_id_idx" ON "codes"("tenant_id", "transaction_id", "id");
