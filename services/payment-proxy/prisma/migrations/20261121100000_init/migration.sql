-- CreateEnum
CREATE TYPE "OperationType" AS ENUM ('authorize', 'capture', 'void', 'refund');

-- CreateEnum
CREATE TYPE "OperationState" AS ENUM ('in_progress', 'succeeded', 'declined', 'pending', 'not_attempted', 'unknown');

-- CreateEnum
CREATE TYPE "Stage" AS ENUM ('authorize', 'capture');

-- CreateEnum
CREATE TYPE "SandboxState" AS ENUM ('succeeded', 'declined', 'pending', 'never_received');

-- CreateTable
CREATE TABLE "transactions" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "business_unit_id" UUID NOT NULL,
    "payment_orchestrator_id" UUID,
    "merchant_id" TEXT,
    "external_reference" TEXT,
    "currency" CHAR(3) NOT NULL,
    "amount" BIGINT NOT NULL,
    "amount_authorized" BIGINT NOT NULL DEFAULT 0,
    "amount_captured" BIGINT NOT NULL DEFAULT 0,
    "amount_refunded" BIGINT NOT NULL DEFAULT 0,
    "amount_voided" BIGINT NOT NULL DEFAULT 0,
    "capture" BOOLEAN NOT NULL,
    "payment_method" JSONB,
    "authorization_expires_at" TIMESTAMPTZ(3),
    "items" JSONB NOT NULL,
    "customer_details" JSONB,
    "metadata" JSONB NOT NULL,
    "version" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "transactions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operations" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "transaction_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "type" "OperationType" NOT NULL,
    "state" "OperationState" NOT NULL,
    "amount" BIGINT NOT NULL,
    "amount_released" BIGINT NOT NULL,
    "stage" "Stage",
    "reason" TEXT,
    "items" JSONB,
    "provider_reference" TEXT,
    "error" JSONB,
    "attempt_count" INTEGER NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "trace_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "operations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sandbox_operations" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "authorization_id" UUID NOT NULL,
    "type" "OperationType" NOT NULL,
    "state" "SandboxState" NOT NULL,
    "token" TEXT,
    "payment_method" TEXT,
    "amount" BIGINT NOT NULL,
    "amount_released" BIGINT NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "decline_code" TEXT,
    "sync_count" INTEGER NOT NULL DEFAULT 0,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "answered_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sandbox_operations_pkey" PRIMARY KEY ("id")
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
CREATE INDEX "transactions_tenant_id_id_idx" ON "transactions"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "transactions_tenant_id_business_unit_id_id_idx" ON "transactions"("tenant_id", "business_unit_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "transactions_tenant_id_business_unit_id_external_reference_key" ON "transactions"("tenant_id", "business_unit_id", "external_reference");

-- CreateIndex
CREATE UNIQUE INDEX "operations_transaction_id_number_key" ON "operations"("transaction_id", "number");

-- CreateIndex
CREATE INDEX "sandbox_operations_authorization_id_idx" ON "sandbox_operations"("authorization_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_events_sequence_key" ON "outbox_events"("sequence");

-- CreateIndex
CREATE INDEX "outbox_events_leased_until_sequence_idx" ON "outbox_events"("leased_until", "sequence");

-- AddForeignKey
ALTER TABLE "operations" ADD CONSTRAINT "operations_transaction_id_fkey" FOREIGN KEY ("transaction_id") REFERENCES "transactions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Books that do not add up cannot be written.
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_amounts_check" CHECK (
    "amount" BETWEEN 1 AND 999999999999
    AND "amount_authorized" BETWEEN 0 AND "amount"
    AND "amount_captured" >= 0
    AND "amount_voided" >= 0
    AND "amount_captured" + "amount_voided" <= "amount_authorized"
    AND "amount_refunded" BETWEEN 0 AND "amount_captured"
);
ALTER TABLE "operations" ADD CONSTRAINT "operations_amounts_check" CHECK (
    "amount" BETWEEN 0 AND 999999999999 AND "amount_released" BETWEEN 0 AND 999999999999
);
ALTER TABLE "operations" ADD CONSTRAINT "operations_in_flight_check" CHECK (
    ("state" IN ('in_progress', 'pending', 'unknown')) = ("due_at" IS NOT NULL)
    AND ("due_at" IS NULL) = ("completed_at" IS NOT NULL)
);

-- One operation in flight per transaction.
CREATE UNIQUE INDEX "operations_one_in_flight_key" ON "operations"("transaction_id") WHERE "state" IN ('in_progress', 'pending', 'unknown');

-- What the sweepers look for.
CREATE INDEX "operations_due_idx" ON "operations"("due_at") WHERE "due_at" IS NOT NULL;
CREATE INDEX "transactions_expiring_idx" ON "transactions"("authorization_expires_at") WHERE "amount_authorized" > "amount_captured" + "amount_voided";

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "transactions" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "transactions" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "transactions" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "operations" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "operations" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "operations" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "sandbox_operations" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "sandbox_operations" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "sandbox_operations" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

ALTER TABLE "idempotency_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "idempotency_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "idempotency_keys" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
