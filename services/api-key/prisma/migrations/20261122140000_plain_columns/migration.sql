-- Columns named by the terms of docs/glossary.md: values are encrypted, and found by an index.
ALTER TABLE "keys" RENAME COLUMN "sealed_value" TO "value_encrypted";
ALTER TABLE "keys" RENAME COLUMN "lookup_hmac" TO "index_hmac";
ALTER INDEX "keys_pepper_kid_lookup_hmac_key" RENAME TO "keys_pepper_kid_index_hmac_key";

ALTER TABLE "previous_values" RENAME COLUMN "sealed_value" TO "value_encrypted";
ALTER TABLE "previous_values" RENAME COLUMN "lookup_hmac" TO "index_hmac";
ALTER INDEX "previous_values_pepper_kid_lookup_hmac_key" RENAME TO "previous_values_pepper_kid_index_hmac_key";

-- A reader that does not know a kind invalidates everything, so processes of the previous version stay correct.
UPDATE "authz_invalidations" SET "kind" = 'unknown_key_hashes' WHERE "kind" = 'unknown_handles';
