-- CreateEnum
CREATE TYPE "BusinessUnitStatus" AS ENUM ('active', 'deleted');

-- CreateEnum
CREATE TYPE "PaymentOrchestratorStatus" AS ENUM ('active', 'inactive', 'deleted');

-- CreateEnum
CREATE TYPE "PaymentOrchestratorMode" AS ENUM ('test', 'live');

-- CreateTable
CREATE TABLE "business_units" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "name_key" TEXT NOT NULL,
    "timezone_name" TEXT NOT NULL,
    "default_currency" TEXT,
    "branding" JSONB NOT NULL,
    "communication" JSONB NOT NULL,
    "status" "BusinessUnitStatus" NOT NULL DEFAULT 'active',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "business_units_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "business_units_version" CHECK ("version" >= 1)
);

-- CreateTable
CREATE TABLE "payment_orchestrators" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "business_unit_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "payment_gateway" TEXT NOT NULL,
    "mode" "PaymentOrchestratorMode" NOT NULL,
    "gateway_url" TEXT,
    "iframe_url" TEXT,
    "tokenizer_url" TEXT,
    "gateway_authentication_encrypted" BYTEA,
    "gateway_authentication_fingerprint" TEXT,
    "payment_methods" TEXT[],
    "currencies" TEXT[],
    "is_default" BOOLEAN NOT NULL,
    "status" "PaymentOrchestratorStatus" NOT NULL,
    "settings" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_orchestrators_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "payment_orchestrators_version" CHECK ("version" >= 1),
    CONSTRAINT "payment_orchestrators_default_is_active" CHECK (NOT "is_default" OR "status" = 'active'),
    CONSTRAINT "payment_orchestrators_sandbox_is_test" CHECK ("payment_gateway" <> 'sandbox' OR "mode" = 'test'),
    CONSTRAINT "payment_orchestrators_fingerprint" CHECK (
        ("gateway_authentication_encrypted" IS NULL) = ("gateway_authentication_fingerprint" IS NULL)
    )
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

-- The audit records of operators' calls, until they are published (packages/messaging/src/operator-calls.ts).
CREATE TABLE "operator_calls" (
    "id" UUID NOT NULL,
    "record" JSONB NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),
    "leased_until" TIMESTAMPTZ(3),

    CONSTRAINT "operator_calls_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "business_units_tenant_id_id_key" ON "business_units"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "payment_orchestrators_tenant_id_business_unit_id_id_idx" ON "payment_orchestrators"("tenant_id", "business_unit_id", "id");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- AddForeignKey
ALTER TABLE "payment_orchestrators" ADD CONSTRAINT "payment_orchestrators_tenant_id_business_unit_id_fkey" FOREIGN KEY ("tenant_id", "business_unit_id") REFERENCES "business_units"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- Names of active units, and the default of a unit.
CREATE UNIQUE INDEX "business_units_active_name_key" ON "business_units"("tenant_id", "name_key") WHERE "status" = 'active';
CREATE UNIQUE INDEX "payment_orchestrators_default_key" ON "payment_orchestrators"("business_unit_id") WHERE "is_default";

-- The outbox (packages/messaging/README.md).
CREATE INDEX "outbox_events_unpublished_idx" ON "outbox_events"("sequence") WHERE "published_at" IS NULL;
CREATE INDEX "outbox_events_published_at_idx" ON "outbox_events"("published_at") WHERE "published_at" IS NOT NULL;
ALTER TABLE "outbox_events" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, vacuum_index_cleanup = on);

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "business_units" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "business_units" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "business_units" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "payment_orchestrators" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "payment_orchestrators" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "payment_orchestrators" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "data_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "data_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "data_keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "idempotency_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "idempotency_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "idempotency_keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
