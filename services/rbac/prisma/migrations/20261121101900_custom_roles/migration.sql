-- AlterTable
ALTER TABLE "roles" ADD COLUMN     "deleting_until" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "tenant_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "reference" TEXT,
    "reply" JSONB,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("tenant_id","key")
);

-- CreateTable
CREATE TABLE "outbox_events" (
    "id" UUID NOT NULL,
    "sequence" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "tenant_id" UUID NOT NULL,
    "business_unit_id" UUID,
    "trace_id" UUID NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "payload" JSONB NOT NULL,
    "leased_until" TIMESTAMPTZ(3),

    CONSTRAINT "outbox_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "authz_epoch" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "incarnation" UUID NOT NULL DEFAULT gen_random_uuid(),
    "epoch" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "authz_epoch_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "authz_invalidations" (
    "epoch" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "authz_invalidations_pkey" PRIMARY KEY ("epoch","kind","id")
);

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_events_sequence_key" ON "outbox_events"("sequence");

-- CreateIndex
CREATE INDEX "outbox_events_leased_until_sequence_idx" ON "outbox_events"("leased_until", "sequence");

-- CreateIndex
CREATE INDEX "authz_invalidations_recorded_at_idx" ON "authz_invalidations"("recorded_at");

-- The one row that every change of power locks and counts up.
ALTER TABLE "authz_epoch" ADD CONSTRAINT "authz_epoch_one_row" CHECK ("id" = 1);
INSERT INTO "authz_epoch" ("id") VALUES (1);

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "idempotency_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "idempotency_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "idempotency_keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
