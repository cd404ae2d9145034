-- The resource that an event is about. A process of the previous version does not write the column: its events have
-- none. The index is empty at first: writes of events wait while the table is read once.
SET lock_timeout = '5s';
ALTER TABLE "events" ADD COLUMN     "resource_id" UUID;

CREATE INDEX "events_resource_idx" ON "events"("tenant_id", "resource_id", "tenant_event_id")
WHERE "resource_id" IS NOT NULL;
