-- The inbox of what payment providers report.
CREATE TABLE "provider_events" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "payment_orchestrator_id" UUID NOT NULL,
    "event_id" TEXT NOT NULL,
    "operation_id" UUID,
    "provider_reference" TEXT,
    "outcome" JSONB NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "applied_at" TIMESTAMPTZ(3),
    "attempt_count" INTEGER NOT NULL,
    "due_at" TIMESTAMPTZ(3),

    CONSTRAINT "provider_events_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "provider_events_payment_orchestrator_id_event_id_key" ON "provider_events"("payment_orchestrator_id", "event_id");

CREATE INDEX "provider_events_due_idx" ON "provider_events"("due_at") WHERE "due_at" IS NOT NULL;

-- Waiting (due_at), applied (applied_at), or unmatched after seven days (neither).
ALTER TABLE "provider_events" ADD CONSTRAINT "provider_events_state_check" CHECK ("due_at" IS NULL OR "applied_at" IS NULL);

ALTER TABLE "provider_events" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "provider_events" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "provider_events" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

-- Finds the operation of an event, and the tenant of a payment orchestrator.
CREATE INDEX "operations_provider_reference_idx" ON "operations"("tenant_id", "provider_reference") WHERE "provider_reference" IS NOT NULL;
CREATE INDEX "business_unit_copies_payment_orchestrators_idx" ON "business_unit_copies" USING gin (jsonb_path_query_array("payment_orchestrators", '$[*].id') jsonb_path_ops);
