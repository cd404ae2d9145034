-- CreateEnum
CREATE TYPE "TransactionStatus" AS ENUM ('pending', 'failed', 'authorized', 'partially_captured', 'captured', 'voided', 'partially_refunded', 'refunded');

-- AlterTable
ALTER TABLE "transactions" ADD COLUMN     "status" "TransactionStatus" NOT NULL DEFAULT 'pending';

-- The function of src/domain/status.ts, for the transactions so far.
DO $$
BEGIN
  PERFORM set_config('app.tenant_id', '*', true);
  UPDATE "transactions" SET "status" = (CASE
    WHEN "amount_refunded" > 0 THEN
      CASE WHEN "amount_refunded" = "amount_captured" AND "amount_captured" + "amount_voided" = "amount_authorized"
        THEN 'refunded' ELSE 'partially_refunded' END
    WHEN "amount_captured" > 0 THEN
      CASE WHEN "amount_captured" < "amount_authorized" - "amount_voided" THEN 'partially_captured' ELSE 'captured' END
    WHEN "amount_authorized" > 0 THEN
      CASE WHEN "amount_voided" = "amount_authorized" THEN 'voided' ELSE 'authorized' END
    WHEN EXISTS (SELECT 1 FROM "operations"
      WHERE "transaction_id" = "transactions"."id" AND "type" = 'void' AND "state" = 'succeeded') THEN 'voided'
    WHEN (SELECT "state" FROM "operations" WHERE "transaction_id" = "transactions"."id" AND "type" = 'authorize'
      ORDER BY "number" DESC LIMIT 1) = 'declined' THEN 'failed'
    ELSE 'pending' END)::"TransactionStatus";
  PERFORM set_config('app.tenant_id', '', true);
END
$$;

-- CreateIndex
CREATE INDEX "transactions_tenant_id_status_id_idx" ON "transactions"("tenant_id", "status", "id");

-- CreateIndex
CREATE INDEX "transactions_tenant_id_payment_orchestrator_id_id_idx" ON "transactions"("tenant_id", "payment_orchestrator_id", "id");

-- CreateIndex
CREATE INDEX "transactions_tenant_id_created_at_idx" ON "transactions"("tenant_id", "created_at");
