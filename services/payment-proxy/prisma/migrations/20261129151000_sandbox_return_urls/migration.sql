-- The authorizations of the sandbox that still have the page to return to, by the end of the time to decide.
CREATE INDEX "sandbox_operations_returning_idx" ON "sandbox_operations"("action_expires_at") WHERE "return_url" IS NOT NULL;
