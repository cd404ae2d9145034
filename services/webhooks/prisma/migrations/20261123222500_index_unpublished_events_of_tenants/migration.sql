-- The next unpublished events of each tenant, which the relay claims in turn. The condition is that of the index by
-- sequence in other words, so that the planner cannot take that index instead (packages/messaging/src/outbox-claims.ts).
-- Writes of events wait while the index is built; for a large outbox, build it concurrently before (docs/operating.md).
SET lock_timeout = '5s';
CREATE INDEX IF NOT EXISTS "outbox_events_turns_idx" ON "outbox_events"("tenant_id", "sequence") WHERE num_nulls("published_at") = 1;
