SET lock_timeout = '5s';
-- The active codes of deleted payment orchestrators, which a job cancels. Operators may have created the index
-- CONCURRENTLY before.
CREATE INDEX IF NOT EXISTS "codes_payment_orchestrator_id_idx" ON "codes"("payment_orchestrator_id") WHERE "status" = 'active';
