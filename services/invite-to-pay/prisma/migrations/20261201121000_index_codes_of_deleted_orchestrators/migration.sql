SET lock_timeout = '5s';
-- The deleted payment orchestrators and their active codes, which a job cancels. Operators may have created the indexes
-- CONCURRENTLY before.
CREATE INDEX IF NOT EXISTS "business_unit_copies_deleted_orchestrator_idx" ON "business_unit_copies"("business_unit_id") WHERE "payment_orchestrators" @> '[{"status": "deleted"}]';
CREATE INDEX IF NOT EXISTS "codes_payment_orchestrator_id_idx" ON "codes"("payment_orchestrator_id") WHERE "status" = 'active';
