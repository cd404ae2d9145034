SET lock_timeout = '5s';
-- Reads the table beside its writers.
ALTER TABLE "codes" VALIDATE CONSTRAINT "codes_confirmation_check";
