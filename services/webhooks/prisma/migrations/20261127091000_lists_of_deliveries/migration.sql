-- The deliveries of a tenant, newest first. The other indexes have deliveries whose last attempt failed, or that wait:
-- few among many. Writes of deliveries wait while the indexes are built; where the table is large, build them before on
-- each partition, which the statements then take (docs/operating.md).
SET lock_timeout = '5s';
CREATE INDEX IF NOT EXISTS "deliveries_tenant_id_created_at_id_idx" ON "deliveries"("tenant_id", "created_at", "id");

-- A status cannot be the key of an index scan under row-level security: its comparison is not leakproof.
CREATE INDEX IF NOT EXISTS "deliveries_waiting_of_tenant_idx" ON "deliveries"("tenant_id", "created_at", "id")
WHERE "status" IN ('pending', 'retrying');
CREATE INDEX IF NOT EXISTS "deliveries_held_of_tenant_idx" ON "deliveries"("tenant_id", "created_at", "id")
WHERE "status" = 'held';
CREATE INDEX IF NOT EXISTS "deliveries_ended_of_tenant_idx" ON "deliveries"("tenant_id", "created_at", "id")
WHERE "status" IN ('dead', 'discarded');
CREATE INDEX IF NOT EXISTS "deliveries_failed_kind_idx" ON "deliveries"("tenant_id", "last_error_kind", "created_at", "id")
WHERE "last_error_kind" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "deliveries_failed_code_idx" ON "deliveries"("tenant_id", "last_status_code", "created_at", "id")
WHERE "last_error_kind" IS NOT NULL;
