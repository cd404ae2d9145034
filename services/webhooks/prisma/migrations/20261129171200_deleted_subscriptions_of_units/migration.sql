-- The deleted subscriptions of a business unit. Operators may have created the index CONCURRENTLY before.
SET lock_timeout = '5s';
CREATE INDEX IF NOT EXISTS "subscriptions_deleted_of_unit_idx" ON "subscriptions"("tenant_id", "business_unit_id", "deleted_at")
WHERE "deleted_at" IS NOT NULL;
