-- The due events of one tenant, and the waiting events of one payment orchestrator, without reading those of others.
CREATE INDEX "provider_events_tenant_due_idx" ON "provider_events"("tenant_id", "due_at", "id") WHERE "due_at" IS NOT NULL;
CREATE INDEX "provider_events_waiting_idx" ON "provider_events"("payment_orchestrator_id", "id") WHERE "due_at" IS NOT NULL;
