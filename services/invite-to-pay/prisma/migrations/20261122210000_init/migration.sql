-- CreateEnum
CREATE TYPE "CommunicationType" AS ENUM ('EMAIL', 'SMS');

-- CreateEnum
CREATE TYPE "CodeStatus" AS ENUM ('active', 'processing', 'completed', 'expired', 'canceled');

-- CreateEnum
CREATE TYPE "MessageKind" AS ENUM ('invitation', 'reminder', 'receipt');

-- CreateTable
CREATE TABLE "codes" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "business_unit_id" UUID NOT NULL,
    "transaction_id" UUID NOT NULL,
    "trace_id" UUID NOT NULL,
    "code_hash" BYTEA NOT NULL,
    "code_encrypted" BYTEA NOT NULL,
    "status" "CodeStatus" NOT NULL DEFAULT 'active',
    "canceled_by" TEXT,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "capture" BOOLEAN NOT NULL,
    "items" JSONB NOT NULL,
    "reference" TEXT NOT NULL,
    "payment_orchestrator_id" UUID NOT NULL,
    "recipient" TEXT NOT NULL,
    "communication_type" "CommunicationType" NOT NULL,
    "template_id" UUID,
    "communication_details" JSONB NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "reminder_at" TIMESTAMPTZ(3),
    "remind_due_at" TIMESTAMPTZ(3),
    "return_url" TEXT,
    "payment_id" UUID,
    "claimed_at" TIMESTAMPTZ(3),
    "recover_at" TIMESTAMPTZ(3),
    "recover_count" INTEGER NOT NULL DEFAULT 0,
    "decline_count" INTEGER NOT NULL DEFAULT 0,
    "window_started_at" TIMESTAMPTZ(3),
    "window_count" INTEGER NOT NULL DEFAULT 0,
    "resend_count" INTEGER NOT NULL DEFAULT 0,
    "invited_at" TIMESTAMPTZ(3) NOT NULL,
    "last_sent_at" TIMESTAMPTZ(3),
    "communication_id" UUID,
    "last_error" JSONB,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "codes_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "codes_code_hash_check" CHECK (octet_length("code_hash") = 32),
    CONSTRAINT "codes_amount_check" CHECK ("amount" >= 1),
    CONSTRAINT "codes_version_check" CHECK ("version" >= 1),
    -- A payment belongs to a code that is processing, and to no other.
    CONSTRAINT "codes_processing_check" CHECK (
        ("status" = 'processing') = ("payment_id" IS NOT NULL)
        AND ("status" = 'processing') = ("claimed_at" IS NOT NULL)
        AND ("recover_at" IS NOT NULL OR "status" <> 'processing')
        AND ("recover_at" IS NULL OR "status" IN ('active', 'processing'))
    ),
    CONSTRAINT "codes_canceled_check" CHECK (
        ("status" = 'canceled') = ("canceled_by" IS NOT NULL)
        AND "canceled_by" IN ('request', 'transaction', 'declines')
    ),
    CONSTRAINT "codes_declines_check" CHECK (
        "decline_count" BETWEEN 0 AND 10 AND ("decline_count" < 10 OR "status" NOT IN ('active', 'processing'))
    ),
    CONSTRAINT "codes_resends_check" CHECK ("resend_count" BETWEEN 0 AND 10),
    CONSTRAINT "codes_lifetime_check" CHECK ("expires_at" <= "created_at" + interval '1680 hours'),
    CONSTRAINT "codes_reminder_check" CHECK ("reminder_at" < "expires_at"),
    CONSTRAINT "codes_remind_due_check" CHECK ("remind_due_at" IS NULL OR "remind_due_at" = "reminder_at"),
    CONSTRAINT "codes_window_check" CHECK ("window_count" BETWEEN 0 AND 5)
);

-- CreateTable
CREATE TABLE "messages" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "code_id" UUID NOT NULL,
    "kind" "MessageKind" NOT NULL,
    "trace_id" UUID NOT NULL,
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "data_keys" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "kek_id" TEXT NOT NULL,
    "wrapped" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "data_keys_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "business_unit_copies" (
    "business_unit_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "business_unit" JSONB NOT NULL,
    "payment_orchestrators" JSONB NOT NULL,

    CONSTRAINT "business_unit_copies_pkey" PRIMARY KEY ("business_unit_id"),
    CONSTRAINT "business_unit_copies_unit_check" CHECK ("business_unit"->>'id' IS NOT DISTINCT FROM "business_unit_id"::text),
    CONSTRAINT "business_unit_copies_orchestrators_check" CHECK (jsonb_typeof("payment_orchestrators") = 'array')
);

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
    "traceparent" TEXT,
    "leased_until" TIMESTAMPTZ(3),
    "published_at" TIMESTAMPTZ(3),

    CONSTRAINT "outbox_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operator_calls" (
    "id" UUID NOT NULL,
    "record" JSONB NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),
    "leased_until" TIMESTAMPTZ(3),

    CONSTRAINT "operator_calls_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "codes_transaction_id_key" ON "codes"("transaction_id");

-- CreateIndex
CREATE UNIQUE INDEX "codes_code_hash_key" ON "codes"("code_hash");

-- CreateIndex
CREATE UNIQUE INDEX "codes_tenant_id_id_key" ON "codes"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "codes_tenant_id_recipient_id_idx" ON "codes"("tenant_id", "recipient", "id");

-- CreateIndex
CREATE INDEX "messages_tenant_id_code_id_idx" ON "messages"("tenant_id", "code_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- What the jobs claim next.
CREATE INDEX "codes_expires_at_idx" ON "codes"("expires_at") WHERE "status" = 'active';
CREATE INDEX "codes_recover_at_idx" ON "codes"("recover_at") WHERE "recover_at" IS NOT NULL;
CREATE INDEX "codes_remind_due_at_idx" ON "codes"("remind_due_at") WHERE "status" = 'active' AND "remind_due_at" IS NOT NULL;
CREATE INDEX "messages_due_at_idx" ON "messages"("due_at") WHERE "due_at" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_tenant_id_code_id_fkey" FOREIGN KEY ("tenant_id", "code_id") REFERENCES "codes"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- The outbox (packages/messaging/README.md).
CREATE INDEX "outbox_events_unpublished_idx" ON "outbox_events"("sequence") WHERE "published_at" IS NULL;
CREATE INDEX "outbox_events_published_at_idx" ON "outbox_events"("published_at") WHERE "published_at" IS NOT NULL;
ALTER TABLE "outbox_events" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, vacuum_index_cleanup = on);

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "codes" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "codes" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "codes" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "messages" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "messages" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "messages" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "data_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "data_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "data_keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "business_unit_copies" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "business_unit_copies" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "business_unit_copies" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "idempotency_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "idempotency_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "idempotency_keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
