-- CreateEnum
CREATE TYPE "AuthInfoType" AS ENUM ('custom_headers', 'basic', 'api_credential', 'oauth2_client_credentials');

-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN     "previous_secret_expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "previous_secret_sealed" BYTEA;

-- CreateTable
CREATE TABLE "auth_infos" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "type" "AuthInfoType" NOT NULL,
    "config_sealed" BYTEA NOT NULL,
    "config_masked" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "auth_infos_pkey" PRIMARY KEY ("id")
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

-- CreateIndex
CREATE INDEX "auth_infos_tenant_id_id_idx" ON "auth_infos"("tenant_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_events_sequence_key" ON "outbox_events"("sequence");

-- CreateIndex
CREATE INDEX "outbox_events_leased_until_sequence_idx" ON "outbox_events"("leased_until", "sequence");

-- CreateIndex
CREATE INDEX "subscriptions_webhook_auth_info_id_idx" ON "subscriptions"("webhook_auth_info_id");

-- CreateIndex
CREATE INDEX "subscriptions_previous_secret_expires_at_idx" ON "subscriptions"("previous_secret_expires_at");

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "auth_infos" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "auth_infos" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "auth_infos" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
