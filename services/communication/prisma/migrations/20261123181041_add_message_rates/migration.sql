-- CreateTable
CREATE TABLE "message_rates" (
    "key" TEXT NOT NULL,
    "busy_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_rates_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "message_rates_busy_until_idx" ON "message_rates"("busy_until");

-- The next due communications of each tenant, which the delivery loop claims in turn.
CREATE INDEX "communications_tenant_id_due_at_idx" ON "communications"("tenant_id", "due_at") WHERE "due_at" IS NOT NULL;
