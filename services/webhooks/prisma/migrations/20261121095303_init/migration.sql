-- CreateEnum
CREATE TYPE "DeliveryStatus" AS ENUM ('pending', 'delivering', 'retrying', 'held', 'delivered', 'dead', 'discarded');

-- CreateTable
CREATE TABLE "subscriptions" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "business_unit_id" UUID NOT NULL,
    "destination_url" TEXT NOT NULL,
    "label" TEXT,
    "event_types" TEXT[],
    "webhook_auth_info_id" UUID,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "secret_sealed" BYTEA,
    "secret_masked" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "subscription_id" UUID NOT NULL,
    "business_unit_id" UUID NOT NULL,
    "tenant_event_id" UUID NOT NULL,
    "event_type" TEXT NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "trace_id" UUID NOT NULL,
    "body" BYTEA NOT NULL,
    "status" "DeliveryStatus" NOT NULL DEFAULT 'pending',
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "schedule_position" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "queued" BOOLEAN NOT NULL DEFAULT false,
    "sweep_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "dead_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attempts" (
    "delivery_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "tenant_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "status_code" INTEGER,
    "error_kind" TEXT,
    "error_detail" TEXT,
    "response_body" BYTEA,
    "response_truncated" BOOLEAN NOT NULL,
    "timings" JSONB NOT NULL,
    "next_attempt_at" TIMESTAMPTZ(3),

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("delivery_id","number")
);

-- CreateTable
CREATE TABLE "reveals" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "actor" TEXT NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reveals_pkey" PRIMARY KEY ("id")
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

-- CreateIndex
CREATE INDEX "subscriptions_tenant_id_business_unit_id_id_idx" ON "subscriptions"("tenant_id", "business_unit_id", "id");

-- CreateIndex
CREATE INDEX "deliveries_tenant_id_business_unit_id_id_idx" ON "deliveries"("tenant_id", "business_unit_id", "id");

-- CreateIndex
CREATE INDEX "deliveries_subscription_id_id_idx" ON "deliveries"("subscription_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_tenant_event_id_subscription_id_key" ON "deliveries"("tenant_event_id", "subscription_id");

-- CreateIndex
CREATE INDEX "reveals_tenant_id_actor_asked_at_idx" ON "reveals"("tenant_id", "actor", "asked_at");

-- CreateIndex
CREATE INDEX "reveals_asked_at_idx" ON "reveals"("asked_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscriptions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "deliveries"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What is left to do, and what was given up: few rows among many that are done.
CREATE INDEX "deliveries_sweep_at_idx" ON "deliveries"("sweep_at") WHERE "sweep_at" IS NOT NULL;
CREATE INDEX "deliveries_dead_idx" ON "deliveries"("dead_at", "id") WHERE "status" = 'dead';

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "subscriptions" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "subscriptions" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "subscriptions" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "deliveries" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "deliveries" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "deliveries" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "attempts" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "attempts" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "attempts" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "reveals" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "reveals" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "reveals" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "data_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "data_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "data_keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "idempotency_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "idempotency_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "idempotency_keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
