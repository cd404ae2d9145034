-- The ledger of the sandbox is read per payment orchestrator, and a refund can fail after it succeeded.
ALTER TABLE "sandbox_operations" ADD COLUMN     "fails_at" TIMESTAMPTZ(3),
ADD COLUMN     "payment_orchestrator_id" UUID;

-- Each operation of the ledger was recorded before it was sent.
DO $$
BEGIN
  PERFORM set_config('app.tenant_id', '*', true);
  UPDATE "sandbox_operations" SET "payment_orchestrator_id" = "transactions"."payment_orchestrator_id"
  FROM "operations" JOIN "transactions" ON "transactions"."id" = "operations"."transaction_id"
  WHERE "operations"."id" = "sandbox_operations"."id";
  PERFORM set_config('app.tenant_id', '', true);
END
$$;
ALTER TABLE "sandbox_operations" ALTER COLUMN "payment_orchestrator_id" SET NOT NULL;

-- CreateIndex
CREATE INDEX "sandbox_operations_tenant_id_id_idx" ON "sandbox_operations"("tenant_id", "id");

CREATE INDEX "sandbox_operations_failing_idx" ON "sandbox_operations"("fails_at") WHERE "fails_at" IS NOT NULL;
