SET lock_timeout = '5s';
-- Names the account at the provider that an operation was sent to. Null: not known.
ALTER TABLE "operations" ADD COLUMN "account" TEXT;
