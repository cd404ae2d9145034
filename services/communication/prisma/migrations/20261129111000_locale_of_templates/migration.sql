ALTER TABLE "templates" ADD COLUMN "locale" TEXT;
ALTER TABLE "template_versions" ADD COLUMN "locale" TEXT;

-- The translations of a template, which each message with a template reads.
CREATE INDEX "templates_tenant_id_name_idx" ON "templates"("tenant_id", "name") WHERE "deleted_at" IS NULL;
