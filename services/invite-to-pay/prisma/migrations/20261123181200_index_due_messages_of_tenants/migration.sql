-- The next due messages of each tenant, which the sending loop claims in turn.
CREATE INDEX "messages_tenant_id_due_at_idx" ON "messages"("tenant_id", "due_at") WHERE "due_at" IS NOT NULL;
