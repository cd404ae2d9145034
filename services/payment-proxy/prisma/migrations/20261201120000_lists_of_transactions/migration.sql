-- Transactions by status: a status cannot be the key of an index scan under row-level security, because its comparison is
-- not leakproof. Each transaction is in one of the indexes. Writes of transactions wait while the indexes are built;
-- where the table is large, create them CONCURRENTLY before (docs/operating.md).
SET lock_timeout = '5s';
CREATE INDEX IF NOT EXISTS "transactions_pending_idx" ON "transactions"("tenant_id", "id") WHERE "status" = 'pending';
CREATE INDEX IF NOT EXISTS "transactions_failed_idx" ON "transactions"("tenant_id", "id") WHERE "status" = 'failed';
CREATE INDEX IF NOT EXISTS "transactions_authorized_idx" ON "transactions"("tenant_id", "id") WHERE "status" = 'authorized';
CREATE INDEX IF NOT EXISTS "transactions_partially_captured_idx" ON "transactions"("tenant_id", "id") WHERE "status" = 'partially_captured';
CREATE INDEX IF NOT EXISTS "transactions_captured_idx" ON "transactions"("tenant_id", "id") WHERE "status" = 'captured';
CREATE INDEX IF NOT EXISTS "transactions_voided_idx" ON "transactions"("tenant_id", "id") WHERE "status" = 'voided';
CREATE INDEX IF NOT EXISTS "transactions_partially_refunded_idx" ON "transactions"("tenant_id", "id") WHERE "status" = 'partially_refunded';
CREATE INDEX IF NOT EXISTS "transactions_refunded_idx" ON "transactions"("tenant_id", "id") WHERE "status" = 'refunded';

-- Transactions by amount.
CREATE INDEX IF NOT EXISTS "transactions_tenant_id_amount_id_idx" ON "transactions"("tenant_id", "amount", "id");
