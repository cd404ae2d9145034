-- The subscriptions of a tenant, deleted ones left out. Operators may have created the index CONCURRENTLY before.
SET lock_timeout = '5s';
CREATE INDEX IF NOT EXISTS "subscriptions_live_of_tenant_idx" ON "subscriptions"("tenant_id", "id")
WHERE "deleted_at" IS NULL;
