SET lock_timeout = '5s';
-- An authorization that waits for the payer to confirm at their bank.
ALTER TYPE "OperationState" ADD VALUE 'action_required' AFTER 'in_progress';

ALTER TABLE "operations" ADD COLUMN "action" JSONB, ADD COLUMN "authentication" JSONB, ADD COLUMN "void_request" JSONB;

-- As text: a new value of an enum cannot be used in the migration that adds it. The next migration validates.
ALTER TABLE "operations" DROP CONSTRAINT "operations_in_flight_check";
ALTER TABLE "operations" ADD CONSTRAINT "operations_in_flight_check" CHECK (
    ("state"::text IN ('in_progress', 'action_required', 'pending', 'unknown')) = ("due_at" IS NOT NULL)
    AND ("due_at" IS NULL) = ("completed_at" IS NOT NULL)
) NOT VALID;
ALTER TABLE "operations" ADD CONSTRAINT "operations_action_check" CHECK (
    ("state"::text <> 'action_required' OR ("type" = 'authorize' AND "action" IS NOT NULL))
    AND ("action" IS NULL OR "due_at" IS NOT NULL)
) NOT VALID;
DROP INDEX "operations_one_in_flight_key";
