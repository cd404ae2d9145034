-- Columns in the terms of docs/glossary.md. A rename is not additive: stop the dispatchers and the webhooks API of the
-- previous version before this migration (CHANGELOG.md).
ALTER TABLE "subscriptions" RENAME COLUMN "secret_sealed" TO "secret_encrypted";
ALTER TABLE "subscriptions" RENAME COLUMN "previous_secret_sealed" TO "previous_secret_encrypted";
ALTER TABLE "auth_infos" RENAME COLUMN "config_sealed" TO "config_encrypted";
