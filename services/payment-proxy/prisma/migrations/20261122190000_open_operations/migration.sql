ALTER TABLE "operations" ADD COLUMN "open_reason" TEXT;

-- Reconciliation reads the operations of a day.
CREATE INDEX "operations_created_at_idx" ON "operations" USING BRIN ("created_at");
