SET lock_timeout = '5s';
-- Authorizations of the sandbox that wait for the payer at the bank of the sandbox.
ALTER TYPE "SandboxState" ADD VALUE 'action_required';

ALTER TABLE "sandbox_operations"
    ADD COLUMN "challenge" TEXT,
    ADD COLUMN "return_url" TEXT,
    ADD COLUMN "action_expires_at" TIMESTAMPTZ(3);

CREATE UNIQUE INDEX "sandbox_operations_challenge_key" ON "sandbox_operations"("challenge") WHERE "challenge" IS NOT NULL;
