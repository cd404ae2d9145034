-- Requests per tenant and hour of their arrival. Sealing adds each record once (src/verbs/seal-chain.ts).
CREATE TABLE "audit_statistics" (
    "tenant_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "outcome" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,

    CONSTRAINT "audit_statistics_pkey" PRIMARY KEY ("tenant_id", "hour", "outcome", "client", "code")
);

-- The retention reads by the hour.
CREATE INDEX "audit_statistics_hour_idx" ON "audit_statistics"("hour");

ALTER TABLE "audit_statistics" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "audit_statistics" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "audit_statistics" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
