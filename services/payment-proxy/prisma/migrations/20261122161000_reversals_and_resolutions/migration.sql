-- A provider can fail a refund after it succeeded.
ALTER TYPE "OperationState" ADD VALUE 'reversed';

-- AlterTable
ALTER TABLE "operations" ADD COLUMN     "resolution" JSONB;

-- As text: a new value of an enum cannot be used in the migration that adds it.
ALTER TABLE "operations" ADD CONSTRAINT "operations_reversed_check" CHECK ("state"::text <> 'reversed' OR "type" = 'refund');
