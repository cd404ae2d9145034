-- Mails of user invitations, on behalf of a tenant. The previous release does not read this table.
CREATE TABLE "user_invitation_mails" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "recipient" TEXT NOT NULL,
    "trace_id" UUID NOT NULL,
    "status" "CommunicationStatus" NOT NULL DEFAULT 'queued',
    "provider" TEXT NOT NULL,
    "provider_message_id" TEXT,
    "error" JSONB,
    "content" JSONB,
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "user_invitation_mails_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "user_invitation_mails_provider_check" CHECK ("provider" IN ('outbox', 'smtp', 'http')),
    -- The text, which has the link, is deleted when the mail ends, and only a queued one is due.
    CONSTRAINT "user_invitation_mails_queued_check" CHECK (
        ("status" = 'queued') = ("due_at" IS NOT NULL) AND ("status" = 'queued') = ("content" IS NOT NULL)
    ),
    CONSTRAINT "user_invitation_mails_ended_check" CHECK (("status" = 'queued') = ("ended_at" IS NULL)),
    CONSTRAINT "user_invitation_mails_failed_check" CHECK (("status" = 'failed') = ("error" IS NOT NULL))
);

-- The next due mails of each tenant, which the delivery loop claims in turn.
CREATE INDEX "user_invitation_mails_tenant_id_due_at_idx" ON "user_invitation_mails"("tenant_id", "due_at") WHERE "due_at" IS NOT NULL;

-- The mails of a person, of all tenants, for an erasure.
CREATE INDEX "user_invitation_mails_recipient_idx" ON "user_invitation_mails"(lower("recipient"));

-- CreateIndex
CREATE INDEX "user_invitation_mails_ended_at_idx" ON "user_invitation_mails"("ended_at");

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "user_invitation_mails" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "user_invitation_mails" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "user_invitation_mails" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

-- A message on behalf of the tenant has no business unit. Development only: the outbox exists nowhere else.
ALTER TABLE "outbox_messages" ALTER COLUMN "business_unit_id" DROP NOT NULL;
