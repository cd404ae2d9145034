-- CreateEnum
CREATE TYPE "SessionKind" AS ENUM ('browser', 'cli');

-- CreateEnum
CREATE TYPE "SignInPurpose" AS ENUM ('sign_in', 'step_up', 'accept');

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "email" TEXT,
    "name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "unused_since" TIMESTAMPTZ(3),

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_subjects" (
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" UUID NOT NULL,

    CONSTRAINT "user_subjects_pkey" PRIMARY KEY ("issuer","subject")
);

-- CreateTable
CREATE TABLE "memberships" (
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "role_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "provider_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT NOT NULL,
    "last_signed_in_at" TIMESTAMPTZ(3),
    "sessions_ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("tenant_id","user_id")
);

-- CreateTable
CREATE TABLE "user_invitations" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "email" TEXT,
    "email_key" TEXT,
    "role_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "token_hash" BYTEA NOT NULL,
    "token_encrypted" BYTEA,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "canceled_at" TIMESTAMPTZ(3),
    "user_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT NOT NULL,
    "trace_id" UUID NOT NULL,
    "resend_count" INTEGER NOT NULL DEFAULT 0,
    "last_sent_at" TIMESTAMPTZ(3),
    "message_id" UUID NOT NULL,
    "mail_due_at" TIMESTAMPTZ(3),
    "mail_attempts" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "user_invitations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" "SessionKind" NOT NULL,
    "pepper_kid" TEXT NOT NULL,
    "index_hmac" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "authenticated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ip" TEXT NOT NULL,
    "user_agent" TEXT,
    "provider_id" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "provider_session_id" TEXT,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_ins" (
    "id" UUID NOT NULL,
    "purpose" "SignInPurpose" NOT NULL,
    "browser_hash" BYTEA NOT NULL,
    "state_hash" BYTEA,
    "provider_id" TEXT,
    "nonce" TEXT,
    "verifier_encrypted" BYTEA,
    "return_to" TEXT,
    "invitation_id" UUID,
    "replaced_session_id" UUID,
    "address" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_ins_pkey" PRIMARY KEY ("id")
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
CREATE INDEX "users_unused_since_idx" ON "users"("unused_since");

-- CreateIndex
CREATE INDEX "user_subjects_user_id_idx" ON "user_subjects"("user_id");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "user_invitations_token_hash_key" ON "user_invitations"("token_hash");

-- CreateIndex
CREATE INDEX "user_invitations_tenant_id_id_idx" ON "user_invitations"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "user_invitations_email_key_idx" ON "user_invitations"("email_key");

-- CreateIndex
CREATE INDEX "sessions_tenant_id_user_id_id_idx" ON "sessions"("tenant_id", "user_id", "id");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "sessions_issuer_subject_idx" ON "sessions"("issuer", "subject");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_pepper_kid_index_hmac_key" ON "sessions"("pepper_kid", "index_hmac");

-- CreateIndex
CREATE UNIQUE INDEX "sign_ins_state_hash_key" ON "sign_ins"("state_hash");

-- CreateIndex
CREATE INDEX "sign_ins_browser_hash_idx" ON "sign_ins"("browser_hash");

-- CreateIndex
CREATE INDEX "sign_ins_address_idx" ON "sign_ins"("address");

-- CreateIndex
CREATE INDEX "sign_ins_expires_at_idx" ON "sign_ins"("expires_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE INDEX "authz_invalidations_recorded_at_idx" ON "authz_invalidations"("recorded_at");

-- AddForeignKey
ALTER TABLE "user_subjects" ADD CONSTRAINT "user_subjects_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "memberships"("tenant_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The next due mails of each tenant, which the mail loop claims in turn.
CREATE INDEX "user_invitations_tenant_id_mail_due_at_idx" ON "user_invitations"("tenant_id", "mail_due_at") WHERE "mail_due_at" IS NOT NULL;

-- One open invitation of a tenant for an email address.
CREATE UNIQUE INDEX "user_invitations_open_idx" ON "user_invitations"("tenant_id", "email_key") WHERE "token_encrypted" IS NOT NULL;

-- The open invitations for an email address, of any tenant: a sign-in looks for them.
CREATE INDEX "user_invitations_open_email_key_idx" ON "user_invitations"("email_key") WHERE "token_encrypted" IS NOT NULL;

-- A role of users, for rbac.
CREATE INDEX "memberships_role_ids_idx" ON "memberships" USING gin ("role_ids");

-- The one row that every change of authorization locks and increments.
ALTER TABLE "authz_epoch" ADD CONSTRAINT "authz_epoch_one_row" CHECK ("id" = 1);
INSERT INTO "authz_epoch" ("id") VALUES (1);

-- The outbox (packages/messaging/README.md).
CREATE INDEX "outbox_events_unpublished_idx" ON "outbox_events"("sequence") WHERE "published_at" IS NULL;
CREATE INDEX "outbox_events_turns_idx" ON "outbox_events"("tenant_id", "sequence") WHERE num_nulls("published_at") = 1;
CREATE INDEX "outbox_events_published_at_idx" ON "outbox_events"("published_at") WHERE "published_at" IS NOT NULL;
ALTER TABLE "outbox_events" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, vacuum_index_cleanup = on);

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "memberships" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "memberships" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "memberships" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "user_invitations" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "user_invitations" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "user_invitations" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "sessions" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "sessions" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "sessions" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "data_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "data_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "data_keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "idempotency_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "idempotency_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "idempotency_keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "outbox_events" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "outbox_events" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "outbox_events" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

-- A person belongs to no tenant. A tenant sees the persons who are its users; the policy of memberships applies within.
ALTER TABLE "users" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "users" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "users" USING (
  current_setting('app.tenant_id', true) = '*' OR EXISTS (SELECT FROM "memberships" m WHERE m."user_id" = "users"."id"));

ALTER TABLE "user_subjects" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "user_subjects" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "user_subjects" USING (
  current_setting('app.tenant_id', true) = '*' OR EXISTS (SELECT FROM "memberships" m WHERE m."user_id" = "user_subjects"."user_id"));

-- Sign-ins are found by secrets, before a tenant is known.
ALTER TABLE "sign_ins" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "sign_ins" FORCE ROW LEVEL SECURITY;
CREATE POLICY "all_tenants" ON "sign_ins" USING (current_setting('app.tenant_id', true) = '*');
