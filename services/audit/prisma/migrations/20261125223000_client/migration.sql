-- What a person sent the request with. NOT VALID: existing rows are null, and no partition is read under the lock.
SET lock_timeout = '5s';
ALTER TABLE "audit_records" ADD COLUMN "client" TEXT;
ALTER TABLE "audit_records" ADD CONSTRAINT "audit_records_client" CHECK ("client" IN ('console', 'cli')) NOT VALID;
