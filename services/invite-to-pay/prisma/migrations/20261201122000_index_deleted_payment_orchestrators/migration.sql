SET lock_timeout = '5s';
-- The deleted payment orchestrators, whose active codes a job cancels. Operators may have created the index
-- CONCURRENTLY before.
CREATE INDEX IF NOT EXISTS "business_unit_copies_deleted_orchestrator_idx" ON "business_unit_copies"("business_unit_id") WHERE "payment_orchestrators" @> '[{"status": "deleted"}]';
