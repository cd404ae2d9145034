SET lock_timeout = '5s';
-- The page of the bank at which a payer confirms the payment of a code, and when the payer submitted a payment that
-- completed it. The next migration validates the constraint.
ALTER TABLE "codes"
    ADD COLUMN "confirmation" JSONB,
    ADD COLUMN "confirmation_synced_at" TIMESTAMPTZ(3),
    ADD COLUMN "paid_at" TIMESTAMPTZ(3);
ALTER TABLE "codes" ADD CONSTRAINT "codes_confirmation_check"
    CHECK ("confirmation" IS NULL OR "status" = 'processing') NOT VALID;
