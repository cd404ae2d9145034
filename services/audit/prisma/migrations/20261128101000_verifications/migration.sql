-- How far the running verification of a chain is, and the result of the last one (src/verbs/verify-next-range.ts).
CREATE TABLE "audit_verifications" (
    "tenant_id" UUID NOT NULL,
    "sequence" BIGINT NOT NULL DEFAULT 0,
    "findings" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "verified_at" TIMESTAMPTZ(3),
    "verified_position" BIGINT,
    "verified_findings" INTEGER,

    CONSTRAINT "audit_verifications_pkey" PRIMARY KEY ("tenant_id")
);

CREATE INDEX "audit_verifications_due_at_idx" ON "audit_verifications"("due_at");

ALTER TABLE "audit_verifications" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "audit_verifications" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "audit_verifications" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
