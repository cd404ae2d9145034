SET lock_timeout = '5s';
-- The instant of the last report that an operation is pending. An operation that is pending at the migration counts as
-- reported then: its provider has been queried every hour.
ALTER TABLE "operations" ADD COLUMN "pending_reported_at" TIMESTAMPTZ(3);
-- Row-level security would hide every row from the owner of the table.
ALTER TABLE "operations" NO FORCE ROW LEVEL SECURITY;
UPDATE "operations" SET "pending_reported_at" = CURRENT_TIMESTAMP WHERE "due_at" IS NOT NULL AND "state" = 'pending';
ALTER TABLE "operations" FORCE ROW LEVEL SECURITY;
