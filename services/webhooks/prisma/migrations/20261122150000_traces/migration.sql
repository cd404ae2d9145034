-- The spans that emitted an event and created a delivery (packages/chassis/src/trace.ts). A process of the previous
-- version does not write the columns; spans then have no parent. Neither addition rewrites a table.
ALTER TABLE "outbox_events" ADD COLUMN     "traceparent" TEXT;
ALTER TABLE "deliveries" ADD COLUMN     "traceparent" TEXT;

-- The events that a request caused. Writes to the partitions wait while the index is created.
CREATE INDEX "events_tenant_id_trace_id_idx" ON "events"("tenant_id", "trace_id");
