-- CreateEnum
CREATE TYPE "CommunicationType" AS ENUM ('EMAIL', 'SMS');

-- CreateEnum
CREATE TYPE "CommunicationStatus" AS ENUM ('queued', 'sent', 'failed');

-- CreateTable
CREATE TABLE "templates" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "business_unit_id" UUID,
    "communication_type" "CommunicationType" NOT NULL,
    "version" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "subject" TEXT,
    "text" TEXT NOT NULL,
    "html" TEXT,
    "variables" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "templates_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "templates_version_check" CHECK ("version" >= 1),
    CONSTRAINT "templates_channel_check" CHECK (
        CASE "communication_type" WHEN 'EMAIL' THEN "subject" IS NOT NULL ELSE "subject" IS NULL AND "html" IS NULL END
    ),
    CONSTRAINT "templates_variables_check" CHECK (jsonb_typeof("variables") = 'array')
);

-- CreateTable
CREATE TABLE "template_versions" (
    "template_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "tenant_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "subject" TEXT,
    "text" TEXT NOT NULL,
    "html" TEXT,
    "variables" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "template_versions_pkey" PRIMARY KEY ("template_id","version")
);

-- CreateTable
CREATE TABLE "communications" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "business_unit_id" UUID NOT NULL,
    "communication_type" "CommunicationType" NOT NULL,
    "recipient" TEXT NOT NULL,
    "template_id" UUID,
    "trace_id" UUID NOT NULL,
    "status" "CommunicationStatus" NOT NULL DEFAULT 'queued',
    "provider" TEXT NOT NULL,
    "provider_message_id" TEXT,
    "error" JSONB,
    "content" JSONB,
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "communications_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "communications_provider_check" CHECK ("provider" IN ('outbox', 'smtp', 'http')),
    -- The text is deleted when the communication ends, and only a queued one is due.
    CONSTRAINT "communications_queued_check" CHECK (
        ("status" = 'queued') = ("due_at" IS NOT NULL) AND ("status" = 'queued') = ("content" IS NOT NULL)
    ),
    CONSTRAINT "communications_sent_check" CHECK (("status" = 'sent') = ("sent_at" IS NOT NULL)),
    CONSTRAINT "communications_failed_check" CHECK (("status" = 'failed') = ("error" IS NOT NULL))
);

-- CreateTable
CREATE TABLE "outbox_messages" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "business_unit_id" UUID NOT NULL,
    "communication_type" "CommunicationType" NOT NULL,
    "recipient" TEXT NOT NULL,
    "content" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_messages_pkey" PRIMARY KEY ("id")
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
CREATE INDEX "templates_tenant_id_id_idx" ON "templates"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "communications_tenant_id_id_idx" ON "communications"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "communications_tenant_id_recipient_id_idx" ON "communications"("tenant_id", "recipient", "id");

-- The next due communications, which the delivery loop claims.
CREATE INDEX "communications_due_at_idx" ON "communications"("due_at") WHERE "due_at" IS NOT NULL;

-- CreateIndex
CREATE INDEX "outbox_messages_tenant_id_id_idx" ON "outbox_messages"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "outbox_messages_created_at_idx" ON "outbox_messages"("created_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- Unpublished events are few and claimed in the order of their sequence (packages/messaging/README.md).
CREATE INDEX "outbox_events_unpublished_idx" ON "outbox_events"("sequence") WHERE "published_at" IS NULL;
CREATE INDEX "outbox_events_published_at_idx" ON "outbox_events"("published_at") WHERE "published_at" IS NOT NULL;
ALTER TABLE "outbox_events" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, vacuum_index_cleanup = on);

-- AddForeignKey
ALTER TABLE "template_versions" ADD CONSTRAINT "template_versions_template_id_fkey" FOREIGN KEY ("template_id") REFERENCES "templates"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "templates" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "templates" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "templates" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "template_versions" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "template_versions" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "template_versions" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "communications" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "communications" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "communications" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "outbox_messages" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "outbox_messages" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "outbox_messages" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "business_unit_copies" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "business_unit_copies" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "business_unit_copies" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "idempotency_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "idempotency_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "idempotency_keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
