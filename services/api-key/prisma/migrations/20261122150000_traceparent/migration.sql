-- The span that emitted an event (packages/chassis/src/trace.ts). A process of the previous version does not write the
-- column; the span of its event then has no parent.
ALTER TABLE "outbox_events" ADD COLUMN     "traceparent" TEXT;
