-- The messages of an hour, for hourly_counts. Their ids order otherwise: invite-to-pay chooses those of its messages when
-- a code is created, and hands them over later. Writes of messages wait while the index is built; where the table is
-- large, build it before, and the statement takes it (CHANGELOG.md).
SET lock_timeout = '5s';
CREATE INDEX IF NOT EXISTS "communications_tenant_id_created_at_idx" ON "communications"("tenant_id", "created_at");
