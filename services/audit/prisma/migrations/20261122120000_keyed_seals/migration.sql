-- A client that left before the response, folded records, and records of operators.
ALTER TABLE "audit_records" ADD COLUMN "client_gone" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "audit_records" ADD COLUMN "count" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "audit_records" ADD CONSTRAINT "audit_records_actor_type" CHECK ("actor_type" IN ('api_key', 'user', 'operator', 'anonymous'));
ALTER TABLE "audit_records" ADD CONSTRAINT "audit_records_outcome" CHECK ("outcome" IN ('success', 'denied', 'rejected', 'error'));
ALTER TABLE "audit_records" ADD CONSTRAINT "audit_records_count" CHECK ("count" >= 1);

-- Version 1: SHA-256 without a key, over records without the new columns. Version 2: HMAC-SHA256 with the key of that id.
ALTER TABLE "audit_seals" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "audit_seals" ADD COLUMN "key_id" TEXT;
ALTER TABLE "audit_seals" ADD CONSTRAINT "audit_seals_version" CHECK (("version" = 1 AND "key_id" IS NULL) OR ("version" = 2 AND "key_id" IS NOT NULL));
