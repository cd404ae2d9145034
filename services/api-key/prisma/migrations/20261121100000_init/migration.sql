-- CreateEnum
CREATE TYPE "Environment" AS ENUM ('dev', 'qa', 'prod');

-- CreateTable
CREATE TABLE "keys" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "masked_value" TEXT NOT NULL,
    "sealed_value" BYTEA NOT NULL,
    "pepper_kid" TEXT NOT NULL,
    "lookup_hmac" BYTEA NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "expires_at" TIMESTAMPTZ(3),
    "allowed_cidrs" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "key_roles" (
    "tenant_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "role_id" UUID NOT NULL,

    CONSTRAINT "key_roles_pkey" PRIMARY KEY ("key_id","role_id")
);

-- CreateTable
CREATE TABLE "reveal_attempts" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "actor" TEXT NOT NULL,
    "attempted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reveal_attempts_pkey" PRIMARY KEY ("id")
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
    "leased_until" TIMESTAMPTZ(3),

    CONSTRAINT "outbox_events_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "keys_tenant_id_id_idx" ON "keys"("tenant_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "keys_pepper_kid_lookup_hmac_key" ON "keys"("pepper_kid", "lookup_hmac");

-- CreateIndex
CREATE INDEX "key_roles_tenant_id_role_id_idx" ON "key_roles"("tenant_id", "role_id");

-- CreateIndex
CREATE INDEX "reveal_attempts_tenant_id_actor_attempted_at_idx" ON "reveal_attempts"("tenant_id", "actor", "attempted_at");

-- CreateIndex
CREATE INDEX "reveal_attempts_attempted_at_idx" ON "reveal_attempts"("attempted_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_events_sequence_key" ON "outbox_events"("sequence");

-- CreateIndex
CREATE INDEX "outbox_events_leased_until_sequence_idx" ON "outbox_events"("leased_until", "sequence");

-- AddForeignKey
ALTER TABLE "key_roles" ADD CONSTRAINT "key_roles_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "key_roles" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "key_roles" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "key_roles" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "reveal_attempts" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "reveal_attempts" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "reveal_attempts" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "data_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "data_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "data_keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "idempotency_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "idempotency_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "idempotency_keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
