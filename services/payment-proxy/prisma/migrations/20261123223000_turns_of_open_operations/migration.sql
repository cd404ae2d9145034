-- The due operations of one tenant, without reading those of others. Operators may have created it CONCURRENTLY before.
CREATE INDEX IF NOT EXISTS "operations_tenant_due_idx" ON "operations"("tenant_id", "due_at") WHERE "due_at" IS NOT NULL;
CREATE INDEX "sandbox_operations_tenant_failing_idx" ON "sandbox_operations"("tenant_id", "fails_at") WHERE "fails_at" IS NOT NULL;
